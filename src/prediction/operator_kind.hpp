#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kjoule {

/// The work of one call of an operator, computed from its shape.
struct OperatorWork {
  std::vector<double> features;  ///< sizes of the tensors on one rank, which are the input of regressors
  double flops = 0;              ///< floating-point operations; 0 if moving data determines the time
  /// Number of elements read or written, by tensor, because caches treat tensors differently.
  std::vector<double> streams;
  double parameters = 0;  ///< number of parameters that training updates

  double elements() const;  ///< Returns the sum of all streams.
  /// Returns the amount of work: the FLOPs, or if there are none, the number of elements that are moved.
  double amount() const;
};

/// An operator that is sampled over shapes. A shape is a list of numbers, one for each column with sizes in
/// the operator's table.
struct OperatorKind {
  std::string name;
  /// Names of the shape's numbers: mp (number of tensor-parallel ranks), b (batch), l (tokens), ...
  std::vector<std::string> columns;
  std::vector<std::string> features;  ///< names of OperatorWork::features
  std::function<OperatorWork(const std::vector<double>& shape)> work;
};

/// Returns the known operator of transformer training with this name and these columns. For other names or
/// columns, returns an operator whose features are its columns and whose work is the product of all columns.
OperatorKind make_operator_kind(const std::string& name, const std::vector<std::string>& columns);
/// Returns an operator that is not known, with these formulas of its columns as features: "b*l", "dim*4/mp".
/// Its work is the product of all features. A feature may have no finite value for a shape, for which
/// check_features() tests. Throws Error if a text is not a formula of the columns, if there are none or more
/// than 8, or if kjoule knows the operator.
OperatorKind make_operator_kind(const std::string& name, const std::vector<std::string>& columns,
                                const std::vector<std::string>& formulas);
/// Returns the known operator of this name, or null.
const OperatorKind* find_operator_kind(const std::string& name);
/// Returns all known operators.
const std::vector<OperatorKind>& operator_kinds();
/// Returns the columns with sizes of a collective's table: number of elements, nodes, GPUs per node.
const std::vector<std::string>& collective_columns();
/// Returns the numbers of nodes and of GPUs per node, at most 1e9, of a collective's shape.
std::pair<int, int> topology_of(const std::vector<double>& shape);
/// Throws Error for a shape with which the operator cannot run: a size is not a whole number of at least 1,
/// or cannot be divided by mp or h, or check_features() fails.
void check_shape(const OperatorKind& kind, const std::vector<double>& shape);
/// Throws Error for a shape for which a feature of an unknown operator is not a number above 0.
void check_features(const OperatorKind& kind, const std::vector<double>& shape);

/// Returns the number of entries of GPT-2's vocabulary (50,257) on one of mp ranks, rounded up to a multiple
/// of 128.
double vocabulary_part(double mp);
/// Returns the number of parameters on one of mp ranks of the transformer layer whose optimizer is sampled:
/// two norms, query-key-value, projection, and the two linear layers of the MLP.
double layer_parameters(double mp, double dim);

}  // namespace kjoule
