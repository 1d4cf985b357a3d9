#pragma once
#include <string>

namespace kjoule {

/// A name out of a trace, on one line of a terminal: cut to `width` bytes where it is longer.
inline std::string shortened(std::string text, size_t width) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';  // a name must not steer the terminal
  if (text.size() <= width) return text;
  size_t cut = width - 2;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not within a character
  return text.substr(0, cut) + "..";
}

}  // namespace kjoule
