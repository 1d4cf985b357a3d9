#pragma once
#include <optional>
#include <string_view>

namespace kjoule {

/// Returns the number that the whole text represents; no value if the text is not a finite number.
std::optional<double> parse_number(std::string_view text);

}  // namespace kjoule
