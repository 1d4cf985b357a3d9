#pragma once
#include <optional>
#include <string>

namespace kjoule {

/// Returns the first machine of a list of nodes as Slurm writes it: "n03" for "n[03-05,8],m1". Returns
/// nothing for a list that is empty or has another form, such as one with two brackets in a name.
std::optional<std::string> first_slurm_node(const std::string& nodes);

}  // namespace kjoule
