#include "names/short_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "names/distinction.hpp"
#include "recording/activity.hpp"

namespace kjoule {

namespace {

constexpr size_t kKeptEnd = 14;  ///< largest number of bytes that are kept after the cut

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Makes short names of at most `length` bytes that are all different.
class ShortNaming {
 public:
  explicit ShortNaming(size_t length) : length_(length) {}

  /// Names kernels to which the rules give the same short name.
  void name(const std::string& base, const std::vector<std::string>& group) {
    std::vector<PlainName> plain;
    for (const std::string& name : group) plain.emplace_back(name);
    const std::vector<std::string> suffixes = distinctions(plain, length_ / 2);
    size_t number = 0;
    for (size_t i = 0; i < group.size(); ++i) {
      std::string text = with_suffix(base, suffixes[i]);
      while (!taken_.insert(text).second) text = with_suffix(base, fmt::format(" #{}", ++number));
      short_names_[group[i]] = std::move(text);
    }
  }
  const std::string& of(const std::string& name) const { return short_names_.at(name); }

 private:
  std::string with_suffix(const std::string& base, const std::string& suffix) const {
    return cut_in_middle(base, length_ - suffix.size()) + suffix;
  }

  size_t length_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> short_names_;
};

}  // namespace

std::string cut_in_middle(const std::string& text, size_t length) {
  if (text.size() <= length) return text;
  constexpr std::string_view kCut = "..";
  const size_t kept_end = std::min(kKeptEnd, length / 4);
  size_t end = text.size() - kept_end;
  while (end < text.size() && is_continuation(text[end])) ++end;
  size_t begin = std::max(length - kept_end, kCut.size()) - kCut.size();
  while (begin > 0 && is_continuation(text[begin])) --begin;
  return text.substr(0, begin).append(kCut) + text.substr(end);
}

ShortNames::ShortNames(const std::vector<std::string>& names, size_t length, const NameRules& rules) {
  // A mangled and a demangled name may belong to the same kernel.
  std::map<std::string, std::vector<std::string>> given;
  for (const std::string& name : std::set<std::string>(names.begin(), names.end()))
    given[readable_name(name)].push_back(name);
  std::map<std::string, std::vector<std::string>> groups;  // by base
  for (const auto& [readable, same] : given)
    groups[cut_in_middle(rules.shorten(PlainName(readable)), length)].push_back(readable);
  ShortNaming naming(length);
  for (const auto& [base, group] : groups)
    if (group.size() == 1) naming.name(base, group);  // first: nothing must be added to these names
  for (const auto& [base, group] : groups)
    if (group.size() > 1) naming.name(base, group);
  for (const auto& [readable, same] : given)
    for (const std::string& name : same) short_names_[name] = naming.of(readable);
}

const std::string& ShortNames::of(const std::string& name) const {
  const auto place = short_names_.find(name);
  return place == short_names_.end() ? name : place->second;
}

}  // namespace kjoule
