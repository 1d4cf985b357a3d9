#pragma once
#include <cstdint>
#include <string_view>

namespace kjoule {

/// A character of a UTF-8 text: its code point, and the bytes that encode it.
struct Character {
  uint32_t code = 0;
  std::string_view bytes;
};

/// The character that replaces bytes that are not UTF-8.
inline constexpr Character kReplacement{0xFFFD, "\xEF\xBF\xBD"};

/// Removes the first character from a text that is not empty, and returns it. A byte that does not begin a
/// valid character is removed alone and returned as kReplacement.
Character take_character(std::string_view& text);

}  // namespace kjoule
