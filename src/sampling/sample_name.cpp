#include "sampling/sample_name.hpp"

#include <fmt/format.h>

#include <cctype>
#include <regex>

namespace kjoule {

std::string SampleName::sweep() const {
  return fmt::format("{}_{}_{}", gpu, operator_name, precision);
}

std::string SampleName::text() const {
  return fmt::format("{}_{}_{}", sweep(), parts, part);
}

std::string gpu_file_name(const std::string& device) {
  std::string name;
  for (const unsigned char c : device) {
    if (std::isspace(c) != 0) continue;
    name += std::isalnum(c) != 0 || c == '-' || c == '.' ? static_cast<char>(c) : '-';
  }
  return name;
}

std::optional<SampleName> parse_sample_name(const std::string& text) {
  static const std::regex form("([^_]+)_(.+)_(fp16|bf16|fp32)_([1-9][0-9]{0,8})_([1-9][0-9]{0,8})");
  std::smatch found;
  if (text.size() > 255 || !std::regex_match(text, found, form)) return {};
  SampleName name{found[1], found[2], found[3], std::stoul(found[4]), std::stoul(found[5])};
  if (name.part > name.parts) return {};
  return name;
}

std::string number_spans(const std::vector<size_t>& numbers) {
  std::string text;
  for (size_t first = 0, behind = 0; first < numbers.size(); first = behind) {
    while (behind < numbers.size() && numbers[behind] == numbers[first] + (behind - first)) ++behind;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[first]);
    if (behind - first > 1) text += fmt::format(" to {}", numbers[behind - 1]);
  }
  return text;
}

}  // namespace kjoule
