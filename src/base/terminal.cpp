#include "base/terminal.hpp"

#include <algorithm>
#include <cstdio>

namespace kjoule {

namespace {

void print_lines(std::FILE* to, std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    shown += printable(text.substr(0, end));
    if (end < text.size()) shown += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::fwrite(shown.data(), 1, shown.size(), to);
}

}  // namespace

void print_text(std::string_view text) {
  print_lines(stdout, text);
}

void print_error_text(std::string_view text) {
  print_lines(stderr, text);
}

void print_status(std::string_view text) {
  std::fprintf(stderr, "\r\033[K%s", printable(text).c_str());
}

}  // namespace kjoule
