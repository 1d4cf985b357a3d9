#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns a text as the content of an element or attribute of SVG, XML or HTML. Characters with a meaning in
/// markup are escaped. Control characters become spaces; bytes that are not UTF-8, and characters that XML
/// forbids, become U+FFFD.
std::string markup_text(std::string_view text);

/// Returns a text as the content of a paragraph or table cell of Markdown, without markup of its own.
std::string markdown_text(std::string_view text);

}  // namespace kjoule
