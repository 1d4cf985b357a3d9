#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns the text in lines of at most `width` characters, broken at spaces, each with a line end. The first
/// line begins with `head`, the others with as many spaces. A word that is longer than a line is not broken.
std::string wrapped(std::string_view head, std::string_view text, size_t width = 80);

}  // namespace kjoule
