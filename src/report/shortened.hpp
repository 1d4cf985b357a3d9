#pragma once
#include <string>

namespace kjoule {

/// Returns a name from a trace for one line of a terminal: cut to `width` bytes if it is longer, with control
/// characters replaced by "?".
inline std::string shortened(std::string text, size_t width) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';  // a name must not control the terminal
  if (text.size() <= width) return text;
  size_t cut = width - 2;
  // The cut must not lie within a UTF-8 character.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + "..";
}

}  // namespace kjoule
