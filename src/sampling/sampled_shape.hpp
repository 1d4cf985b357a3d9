#pragma once
#include "sampling/sampled_sweep.hpp"

namespace kjoule {

/// Times the configuration's one shape in the way of its `run`, prints the result and appends it to
/// test_log.txt in the folder. get_profiler also writes a trace to temp_profilings. Returns 0. Throws Error
/// if the shape cannot be timed.
int sample_shape(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
