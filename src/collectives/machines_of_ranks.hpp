#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// Returns the number of different machines, each of which has the same number of ranks. `machines` are the
/// names of the ranks' machines. Throws Error if a machine has more ranks than another one.
int count_machines(const std::vector<std::string>& machines);

}  // namespace kjoule
