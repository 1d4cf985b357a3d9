#pragma once
#include <optional>
#include <string_view>

namespace kjoule {

/// Returns the number that the whole text represents; nothing if it is no number or not finite.
std::optional<double> parse_number(std::string_view text);

}  // namespace kjoule
