#include "base/files/file_name.hpp"

#include "base/text/printable.hpp"
#include "base/text/unicode.hpp"

namespace kjoule {

namespace {

/// The longest name. It leaves room for an extension within the 255 bytes that file systems allow.
constexpr size_t kMostBytes = 200;

bool fits(const Character& next, bool is_first) {
  if (next.code == kReplacement.code || next.code == '\t' || next.code == '/' || next.code == '\\')
    return false;
  if (is_first && (next.code == '.' || next.code == '-')) return false;
  return printable(next.bytes) == next.bytes;
}

}  // namespace

std::string file_name_of(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    const Character next = take_character(text);
    if (name.size() + next.bytes.size() > kMostBytes) break;
    if (fits(next, name.empty()))
      name += next.bytes;
    else
      name += '_';
  }
  return name.empty() ? "_" : name;
}

}  // namespace kjoule
