#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device/sweep.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// An ATen operator as a configuration describes it: the sizes of its arguments are formulas of a shape's
/// numbers.
struct CallTemplate {
  std::string name;          ///< name of the operator: "aten::silu"
  nlohmann::json arguments;  ///< arguments as in OperatorCall, but sizes are text and dtypes may be missing
};

/// A sampling configuration (docs/guide/sampling.md).
struct SamplingConfiguration {
  enum class Run { get_all, get_one, get_profiler, run_function };

  std::string file;                     ///< file name in errors
  std::string kernel_name;              ///< operator name in the names of result files
  std::string function_name;            ///< name of the operator
  std::vector<std::string> parameters;  ///< names of a shape's numbers
  std::vector<std::string> time_columns;
  std::vector<SweptNumber> swept;  ///< ranges of the shape's numbers, for get_all
  SampleShape warmup_shape;
  std::string warmup_place;   ///< start of errors about the warm-up: "FILE:LINE: FIELD"
  int64_t warmup_passes = 0;  ///< passes of the warm-up shape: the fields `wait` + `warmup`
  int64_t active = 0;         ///< highest number of timed passes
  SampleShape shape;          ///< the one shape of the other ways to run
  Run run = Run::get_all;
  std::optional<CallTemplate> call;  ///< ATen operator that the configuration describes itself

  /// Returns the names of the columns: the shape's numbers, then the times.
  std::vector<std::string> columns() const;
  /// Returns what all rows of one sweep must have in common: operator, arguments, columns and numbers of
  /// passes.
  nlohmann::json definition() const;
  /// Returns the described operator's call for a shape; tensors without a dtype get `dtype`. Throws Error
  /// with the formula that has no value for that shape.
  OperatorCall call_of(const SampleShape& shape, const std::string& dtype) const;
};

/// Reads a configuration from YAML. Throws Error "FILE:LINE: FIELD: cause" for fields that are missing,
/// unknown, empty, or of a wrong length or type. If `run` is not empty, it replaces the file's field `run`.
SamplingConfiguration read_sampling_configuration(const std::string& yaml, const std::string& file,
                                                  const std::string& run = {});

}  // namespace kjoule
