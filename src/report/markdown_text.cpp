#include "report/markdown_text.hpp"

#include "report/markup_text.hpp"

namespace kjoule {

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char one : markup_text(text)) {
    if (std::string_view("\\`*_[]|~").find(one) != std::string_view::npos) escaped += '\\';
    escaped += one;
  }
  return escaped;
}

}  // namespace kjoule
