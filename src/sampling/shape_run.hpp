#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sampling/configuration.hpp"
#include "sampling/sampling_options.hpp"

namespace kjoule {

/// The outcome of timing one shape.
struct ShapeOutcome {
  std::string name;                ///< operator, precision and shape: "gelu_fp32 [1, 2, 8, 8]"
  std::string device;              ///< name of the device
  std::string times;               ///< median and interval of each direction in us; "ran" for run_function
  std::optional<int64_t> kernels;  ///< number of kernels of one pass, if they were counted
  std::string trace;               ///< path of the written trace; empty if there is none
};

/// Times the single shape of a configuration whose `run` is not get_all, and appends the result to
/// test_log.txt in the folder of `options`. If `run` is get_profiler, it also writes a trace to
/// temp_profilings. Throws Error if the shape cannot be timed.
ShapeOutcome sample_shape(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
