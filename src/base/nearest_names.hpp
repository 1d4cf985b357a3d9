#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// "this, that, the other": the at most three of `names` that need the fewest letters changed, added or left
/// out to become `name` (Levenshtein's distance), nearest first.
std::string nearest_names(const std::string& name, std::vector<std::string> names);

}  // namespace kjoule
