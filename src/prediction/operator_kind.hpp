#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// What one call of an operator has to do, worked out from its shape.
struct OperatorWork {
  std::vector<double>
      features;      ///< sizes of its tensors as the operator sees them; what a regressor is given
  double flops = 0;  ///< floating-point operations, 0 where moving data is what takes time
  std::vector<double>
      streams;            ///< elements read or written, apart by tensor, since caches treat each its own way
  double parameters = 0;  ///< that training updates

  double elements() const;  ///< of all streams
  /// FLOPs, or elements moved where there are none: what "more work" means.
  double amount() const;
};

/// An operator that is sampled over shapes. Its shape is a list of numbers, one per column of its table.
struct OperatorKind {
  std::string name;
  std::vector<std::string> columns;   ///< of the shape: mp (tensor-parallel ways), b (batch), l (tokens), ...
  std::vector<std::string> features;  ///< names of OperatorWork::features
  OperatorWork (*work)(const std::vector<double>& shape) = nullptr;
};

/// Those that training of transformers is made of; for another one, a kind whose features are its columns and
/// whose work is their product.
OperatorKind operator_kind(const std::string& name, const std::vector<std::string>& columns);
/// The known one of that name, or null.
const OperatorKind* known_operator(const std::string& name);
const std::vector<OperatorKind>& known_operators();
/// Throws Error for a shape that the operator cannot be run with: sizes that are no whole numbers from 1, or
/// that mp or h do not divide.
void check_shape(const OperatorKind& kind, const std::vector<double>& shape);

/// Entries of one rank's part of GPT-2's vocabulary (50,257), filled up so that mp parts are multiples of 128
/// each.
double vocabulary_part(double mp);
/// Parameters of the transformer layer whose optimizer is sampled, on one of mp ranks: two norms,
/// query-key-value, projection, two of the MLP.
double layer_parameters(double mp, double dim);

}  // namespace kjoule
