#include "base/text/printable.hpp"

#include <fmt/format.h>

#include "base/text/unicode.hpp"

namespace kjoule {

namespace {

bool controls_terminal(uint32_t code) {
  const auto within = [code](uint32_t first, uint32_t last) { return code >= first && code <= last; };
  if (code == '\t') return false;
  if (code < ' ' || within(0x7F, 0x9F)) return true;
  // Characters that change the direction of text, and the line and paragraph separators.
  return code == 0x061C || within(0x200E, 0x200F) || within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character next = take_character(text);
    if (controls_terminal(next.code))
      shown += fmt::format("\\u{:04x}", next.code);
    else
      shown += next.bytes;
  }
  return shown;
}

}  // namespace kjoule
