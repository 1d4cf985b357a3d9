#pragma once
// The module model_prediction predicts a recorded model on a GPU with sampled tables. recorded_operator reads
// the operators and their sizes from a recording, operator_work states their work as that of sampled
// operators, operator_estimate predicts one call, and model_prediction adds the calls up. Read first:
// predict_model().

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// Type and size of a tensor of a recorded operator.
struct TensorSize {
  std::string dtype;          ///< libtorch's name: "Half"
  std::vector<double> shape;  ///< sizes of the dimensions
  double elements = 1;        ///< product of the sizes
  double bytes = 0;           ///< bytes that reading each stored element once moves; 0 for a foreign type

  /// Returns the size of a dimension; negative numbers count from the last dimension. 1 if there is none.
  double size(int dimension) const;
};

/// The calls of an operator with the same tensor types, sizes and arguments.
struct RecordedOperator {
  std::string name;  ///< without overload and without the underscore of in-place variants: "aten::add"
  nlohmann::json arguments;
  std::vector<TensorSize> inputs;  ///< tensors of the arguments, those of lists included
  std::vector<TensorSize> outputs;
  std::vector<TensorSize> written;  ///< inputs that the operator changes
  size_t calls = 0;
  /// The type of a tensor, such as "QInt8", with which the calls cannot be predicted; otherwise empty.
  std::string foreign_type{};

  double bytes_read() const;     ///< Returns the bytes of all inputs.
  double bytes_written() const;  ///< Returns the bytes of all results: outputs, or changed inputs.
};

/// The operators of a recording, in the order of their first call.
struct RecordedOperators {
  std::vector<RecordedOperator> launching;
  /// Number of calls that launch nothing on a GPU: views, allocations, and arithmetic with sizes.
  size_t calls_without_work = 0;
};

/// Reads the operators of the measured launches. If `precision` is "fp16" or "bf16", tensors of float32 are
/// taken as tensors of this type. Throws Error, which names `file`, if a launch has no operator, as those of
/// a CUDA program, or if its tensors are damaged.
RecordedOperators recorded_operators(const Recording& recording, const std::string& file,
                                     const std::optional<std::string>& precision = {});

}  // namespace kjoule
