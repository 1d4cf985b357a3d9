#include "report/markup_text.hpp"

#include "base/text/printable.hpp"
#include "base/text/unicode.hpp"

namespace kjoule {

namespace {

/// Returns the replacement of a character; empty if it stays.
std::string_view replacement_of(const Character& character) {
  switch (character.code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case 0xFFFE:
    case 0xFFFF:
      return kReplacement.bytes;
    default:
      break;
  }
  return character.code == '\t' || printable(character.bytes) != character.bytes ? " " : "";
}

}  // namespace

std::string markup_text(std::string_view text) {
  std::string markup;
  while (!text.empty()) {
    const Character next = take_character(text);
    const std::string_view replacement = replacement_of(next);
    markup += replacement.empty() ? next.bytes : replacement;
  }
  return markup;
}

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char one : markup_text(text)) {
    if (std::string_view("\\`*_[]|~").find(one) != std::string_view::npos) escaped += '\\';
    escaped += one;
  }
  return escaped;
}

}  // namespace kjoule
