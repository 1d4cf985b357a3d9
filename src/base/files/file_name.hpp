#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns a text in a form that can be the name of a file or folder: separators, control characters, a
/// leading "." or "-" and bytes that are not UTF-8 become "_". The name is not empty and has at most 200
/// bytes.
std::string file_name_of(std::string_view text);

}  // namespace kjoule
