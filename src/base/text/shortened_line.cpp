#include "base/text/shortened_line.hpp"

#include <algorithm>

namespace kjoule {

namespace {

constexpr size_t kLongestWord = 1024, kLongestLine = 4096;
/// Share of the remaining bytes that are taken from the beginning.
constexpr size_t kBeginning = 3, kAll = 4;

/// Moves a place in a UTF-8 text back to the beginning of its character.
size_t character_begin(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

std::string without_middle(std::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  constexpr std::string_view kOmitted = "...";
  const size_t kept = longest - kOmitted.size(), beginning = kept * kBeginning / kAll;
  const size_t end = character_begin(text, beginning);
  const size_t rest = character_begin(text, text.size() - (kept - beginning));
  return std::string(text.substr(0, end)).append(kOmitted).append(text.substr(rest));
}

}  // namespace

std::string shortened_line(std::string_view line) {
  if (line.size() <= kLongestWord) return std::string(line);
  std::string shown;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    shown += without_middle(line.substr(0, end), kLongestWord);
    if (end < line.size()) shown += ' ';
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return without_middle(shown, kLongestLine);
}

}  // namespace kjoule
