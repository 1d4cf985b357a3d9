#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns Levenshtein's distance: the least number of letters to change, insert or delete to turn one text
/// into the other.
size_t edit_distance(std::string_view a, std::string_view b);

/// Returns up to three of `names` that are nearest to `name` by edit_distance(), nearest first: "this,
/// that, the other".
std::string nearest_names(const std::string& name, std::vector<std::string> names);

}  // namespace kjoule
