#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device/sweep.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// A call of an ATen operator as a configuration describes it: the sizes in its arguments are formulas of the
/// numbers of a shape.
struct CallTemplate {
  std::string name;          ///< name of the operator: "aten::silu"
  nlohmann::json arguments;  ///< arguments as in OperatorCall, but sizes are text and dtypes may be missing
};

/// An operator that a Python file defines (--python).
struct PythonOperator {
  std::string file;      ///< path of the Python file
  std::string function;  ///< name of the function, or of the torch.nn.Module, in the file
  /// For each direction, the texts that names of the profiler's events contain if they belong to it. Empty
  /// for a module, whose directions are timed without the profiler.
  std::vector<std::vector<std::string>> targets;
  /// Formulas of the shape's numbers, whose values the operator gets; empty: it gets the shape.
  std::vector<std::string> arguments;
  std::string hash;  ///< hash of the file's contents
};

/// A sampling configuration (docs/guide/sampling.md).
struct SamplingConfiguration {
  /// The values of the field `run`: get_all measures all shapes of the sweep, the other values one shape.
  enum class Run { get_all, get_one, get_profiler, run_function };

  std::string file;                     ///< file name in error messages
  std::string kernel_name;              ///< name of the operator in the names of result files
  std::string function_name;            ///< name of the operator
  std::vector<std::string> parameters;  ///< names of a shape's numbers
  std::vector<std::string> time_columns;
  std::vector<SweptNumber> swept;  ///< ranges of the shape's numbers, for get_all
  SampleShape warmup_shape;
  std::string warmup_place;   ///< begin of error messages about the warm-up: "FILE:LINE: FIELD"
  int64_t warmup_passes = 0;  ///< number of passes of the warm-up shape: the fields `wait` + `warmup`
  int64_t active = 0;         ///< largest number of timed passes of a sample
  SampleShape shape;          ///< the shape of the runs other than get_all
  Run run = Run::get_all;
  /// What was completed because first_n_column is too small, as a message for the user; usually empty.
  std::string completed;
  std::optional<CallTemplate> call;      ///< the call of an ATen operator; absent for a built-in operator
  std::optional<PythonOperator> python;  ///< the operator in a Python file; absent for other operators

  /// Returns the names of the columns: the shape's numbers, then the times.
  std::vector<std::string> columns() const;
  /// Returns the properties that all rows of one sweep must share: operator, arguments, columns and numbers
  /// of passes.
  nlohmann::json definition() const;
  /// Returns `call` with the sizes of a shape; tensors without a dtype get `dtype`. Throws Error, which names
  /// the formula, if a formula has no value for the shape.
  OperatorCall call_of(const SampleShape& shape, const std::string& dtype) const;
  /// Returns the numbers that an operator in a Python file, or a built-in one, gets for a shape. Throws
  /// Error, which names the formula, if a formula has no value for the shape.
  SampleShape numbers_of(const SampleShape& shape) const;
};

/// Reads a configuration from YAML. Throws Error "FILE:LINE: FIELD: cause" if a field is missing, unknown,
/// empty, or of a wrong length or type, or if the function is a collective. If `run` is not empty, it
/// replaces the file's field `run`. If `python` is not empty, it is the path of a Python file, and
/// `function_name` is the operator's name in this file.
///
/// The published configuration of `moe` has a `first_n_column` that is less than the number of sizes in
/// `columns_name`, and lists of that length. Such lists are completed, which `completed` states: numbers from
/// `starts`, and words by the step that reaches the end exactly.
SamplingConfiguration read_sampling_configuration(const std::string& yaml, const std::string& file,
                                                  const std::string& run = {},
                                                  const std::string& python = {});

}  // namespace kjoule
