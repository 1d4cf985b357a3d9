#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kjoule {

/// Calls `use(number, line)` for each line of a text that is not blank. Line numbers begin at 1.
template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) use(number, line);
  }
}

}  // namespace kjoule
