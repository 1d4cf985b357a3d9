#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// An operator that kjoule-torch can sample.
struct SampledOperator {
  std::string name;
  std::vector<std::string> parameters;  ///< what the numbers of a shape are: "mp", "b", "l", "dim"
  bool has_backward;                    ///< false: one time, "dur(us)", as of an optimizer's step
  std::string about;                    ///< what runs forward

  /// "F_dur(us)", "B_dur(us)", or "dur(us)".
  std::vector<std::string> time_columns() const;
};

const std::vector<SampledOperator>& sampled_operators();
/// Null for a name that is none.
const SampledOperator* find_sampled_operator(const std::string& name);

}  // namespace kjoule
