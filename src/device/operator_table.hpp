#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// An operator that kjoule-torch can sample.
struct SampledOperator {
  std::string name;
  /// Names of the numbers that form a shape, such as "mp", "b", "l", "dim".
  std::vector<std::string> parameters;
  /// True if the operator has a forward and a backward time. False if it has a single time, "dur(us)", as the
  /// step of an optimizer has.
  bool has_backward;
  std::string about;  ///< description of the operator's forward computation

  /// Returns the names of the columns with times: "F_dur(us)" and "B_dur(us)", or "dur(us)".
  std::vector<std::string> time_columns() const;
};

/// Returns the operators that kjoule implements itself. In addition, any ATen operator can be sampled; ATen
/// operators are not in this list.
const std::vector<SampledOperator>& sampled_operators();
/// Returns the operator of that name; null if there is none.
const SampledOperator* find_sampled_operator(const std::string& name);

}  // namespace kjoule
