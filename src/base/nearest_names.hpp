#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The fewest letters changed, added or left out that make one the other (Levenshtein's distance).
size_t letters_changed(std::string_view a, std::string_view b);

/// "this, that, the other": the at most three of `names` that are nearest to `name` by letters_changed(),
/// nearest first.
std::string nearest_names(const std::string& name, std::vector<std::string> names);

}  // namespace kjoule
