#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device/sweep.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// An ATen operator as a configuration writes it: its arguments' sizes are formulas of a shape's numbers.
struct WrittenCall {
  std::string name;          ///< "aten::silu"
  nlohmann::json arguments;  ///< as in OperatorCall, but sizes are text and dtypes may be left out
};

/// One sampling configuration (docs/guide/sampling.md).
struct SamplingConfiguration {
  enum class Run { get_all, get_one, get_profiler, run_function };

  std::string file;                     ///< what errors call it
  std::string kernel_name;              ///< what files of rows are called
  std::string function_name;            ///< the operator
  std::vector<std::string> parameters;  ///< names of a shape's numbers
  std::vector<std::string> time_columns;
  std::vector<SweptNumber> swept;  ///< for get_all
  SampleShape warmup_shape;
  std::string warmup_place;   ///< "FILE:LINE: FIELD" that errors of the warm-up name
  int64_t warmup_passes = 0;  ///< wait + warmup: passes of the warm-up shape
  int64_t active = 0;         ///< passes that are timed
  SampleShape shape;          ///< for the other ways to run
  Run run = Run::get_all;
  std::optional<WrittenCall> call;  ///< an operator of one's own

  std::vector<std::string> columns() const;
  /// What rows of one sweep must have in common: operator, arguments, passes.
  nlohmann::json definition() const;
  /// Throws Error naming file and number where a formula has no value for that shape.
  OperatorCall call_of(const SampleShape& shape, const std::string& dtype) const;
};

/// Out of YAML. Throws Error "FILE:LINE: FIELD: cause" for what is missing, of a wrong length or type,
/// unknown, or empty. `run`, where it is not empty, stands for what the file says there.
SamplingConfiguration read_sampling_configuration(const std::string& yaml, const std::string& file,
                                                  const std::string& run = {});

}  // namespace kjoule
