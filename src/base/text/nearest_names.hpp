#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns Levenshtein's distance: the smallest number of characters to change, insert or delete to turn one
/// text into the other.
size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the up to three of `names` that are nearest to `name` by edit_distance(), the nearest first:
/// "linear1, linear2, linear3".
std::string nearest_names(const std::string& name, std::vector<std::string> names);

}  // namespace kjoule
