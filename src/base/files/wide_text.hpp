#pragma once
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kjoule {

/// Throws Error if the text begins with the mark of UTF-16 or UTF-32, as some Windows programs write it.
inline void refuse_wide_text(std::string_view text, const std::string& file) {
  const bool is_little = text.starts_with("\xff\xfe");
  if (!is_little && !text.starts_with("\xfe\xff")) return;
  const bool is_utf32 = is_little && text.substr(2).starts_with(std::string_view("\0\0", 2));
  const std::string name = is_utf32 ? "UTF-32" : "UTF-16";
  throw Error(file + ": this file is " + name + " text", "convert it with iconv -f " + name + " -t UTF-8");
}

}  // namespace kjoule
