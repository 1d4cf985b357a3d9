#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// The work of one call of an operator, computed from its shape.
struct OperatorWork {
  std::vector<double>
      features;      ///< sizes of the tensors as the operator sees them, which are the input of regressors
  double flops = 0;  ///< floating-point operations; 0 if moving data determines the time
  std::vector<double>
      streams;  ///< elements read or written, one entry per tensor, because caches treat tensors differently
  double parameters = 0;  ///< parameters that training updates

  double elements() const;  ///< Returns the sum of all streams.
  /// Returns the amount of work: FLOPs, or the elements that are moved if there are no FLOPs.
  double amount() const;
};

/// An operator that is sampled over shapes. A shape is a list of numbers, one for each column of the
/// operator's table.
struct OperatorKind {
  std::string name;
  /// Columns of the shape: mp (tensor-parallel ways), b (batch), l (tokens), ...
  std::vector<std::string> columns;
  std::vector<std::string> features;  ///< names of OperatorWork::features
  OperatorWork (*work)(const std::vector<double>& shape) = nullptr;
};

/// Returns a known operator of transformer training. For any other name, returns an operator whose features
/// are its columns and whose work is the product of all columns.
OperatorKind make_operator_kind(const std::string& name, const std::vector<std::string>& columns);
/// Returns the known operator of this name, or null.
const OperatorKind* find_operator_kind(const std::string& name);
const std::vector<OperatorKind>& operator_kinds();
/// Throws Error for a shape with which the operator cannot run: sizes that are not whole numbers of at least
/// 1, or sizes that mp or h does not divide.
void check_shape(const OperatorKind& kind, const std::vector<double>& shape);

/// Returns the number of entries of GPT-2's vocabulary (50,257) on one of mp ranks, rounded up to a multiple
/// of 128.
double vocabulary_part(double mp);
/// Returns the parameters, on one of mp ranks, of the transformer layer whose optimizer is sampled: two
/// norms, query-key-value, projection, and two linears of the MLP.
double layer_parameters(double mp, double dim);

}  // namespace kjoule
