#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// An operator that kjoule-torch can sample.
struct SampledOperator {
  std::string name;
  std::vector<std::string> parameters;  ///< names of a shape's numbers: "mp", "b", "l", "dim"
  /// True if the operator has a forward and a backward time. False if it has only one time, "dur(us)", as the
  /// step of an optimizer has.
  bool has_backward;
  std::string about;  ///< description of its forward computation

  /// Returns the names of the columns with times: "F_dur(us)" and "B_dur(us)", or "dur(us)".
  std::vector<std::string> time_columns() const;
};

/// Returns the operators that kjoule implements itself; any ATen operator can be sampled in addition.
const std::vector<SampledOperator>& sampled_operators();
/// Returns the operator of that name; null if there is none.
const SampledOperator* find_sampled_operator(const std::string& name);

}  // namespace kjoule
