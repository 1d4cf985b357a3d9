#pragma once
#include <string>

#include "base/text/printable.hpp"

namespace kjoule {

/// Returns a name from a trace for one line of a terminal: printable, and cut to `width` bytes if it is
/// longer.
inline std::string shortened(const std::string& name, size_t width) {
  std::string text = printable(name);
  if (text.size() <= width) return text;
  size_t cut = width - 2;
  // The cut must not lie within a UTF-8 character.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + "..";
}

}  // namespace kjoule
