#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns a line of a message in a length that can be read. Each word of more than 1,024 bytes, such as a
/// name from a file, and a line that is still longer than 4,096 bytes, lose their middle, which becomes
/// "...". The end remains, because it has the remedy. The text must be UTF-8; no character is divided.
std::string shortened_line(std::string_view line);

}  // namespace kjoule
