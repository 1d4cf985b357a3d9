#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns a text as the content of a paragraph or table cell of Markdown, without markup of its own.
std::string markdown_text(std::string_view text);

}  // namespace kjoule
