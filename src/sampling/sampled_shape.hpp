#pragma once
#include "sampling/sampled_sweep.hpp"

namespace kjoule {

/// Times the configuration's one shape as its `run` says, prints what came out and adds it to test_log.txt in
/// the folder. get_profiler keeps a trace in temp_profilings, too. The exit code: 1 where there is no time.
int sample_shape(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
