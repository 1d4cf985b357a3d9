#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// An operator that kjoule-torch can sample.
struct SampledOperator {
  std::string name;
  std::vector<std::string> parameters;  ///< names of a shape's numbers: "mp", "b", "l", "dim"
  /// Whether the operator has a forward and a backward time. If false, it has one time, "dur(us)", for
  /// example the step of an optimizer.
  bool has_backward;
  std::string about;  ///< description of what runs forward

  /// Returns the names of the columns with times: "F_dur(us)" and "B_dur(us)", or "dur(us)".
  std::vector<std::string> time_columns() const;
};

/// Returns all operators that have a name of their own.
const std::vector<SampledOperator>& sampled_operators();
/// Returns the operator of that name; null if there is none.
const SampledOperator* find_sampled_operator(const std::string& name);

}  // namespace kjoule
