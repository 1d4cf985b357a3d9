#include "base/text/unicode.hpp"

#include <array>
#include <cstddef>

namespace kjoule {

namespace {

/// Smallest code point by the number of bytes; an encoding of a smaller code point with as many bytes is
/// invalid.
constexpr std::array<uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};

/// Returns the number of bytes of a character that begins with this byte; 0 if no character does.
size_t announced_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

bool is_valid(uint32_t code, size_t length) {
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return code >= kSmallest.at(length) && code <= 0x10FFFF && !is_surrogate;
}

Character take_invalid(std::string_view& text) {
  text.remove_prefix(1);
  return kReplacement;
}

}  // namespace

Character take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = announced_length(first);
  if (length == 0 || length > text.size()) return take_invalid(text);
  uint32_t code = length == 1 ? first : first & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return take_invalid(text);
    code = code << 6 | (next & 0x3FU);
  }
  if (!is_valid(code, length)) return take_invalid(text);
  const Character taken{code, text.substr(0, length)};
  text.remove_prefix(length);
  return taken;
}

}  // namespace kjoule
