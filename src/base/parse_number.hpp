#pragma once
#include <optional>
#include <string_view>

namespace kjoule {

/// The text's number, all of it; nothing when it is none or not finite.
std::optional<double> parse_number(std::string_view text);

}  // namespace kjoule
