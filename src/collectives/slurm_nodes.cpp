#include "collectives/slurm_nodes.hpp"

#include <algorithm>
#include <cctype>

namespace kjoule {

namespace {

bool is_digit(unsigned char c) {
  return std::isdigit(c) != 0;
}

bool is_of_node_name(unsigned char c) {
  return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
}

/// Returns the text from `begin` to the first of the characters `ends`, or to its end.
std::string until_any(const std::string& text, size_t begin, const char* ends) {
  return text.substr(begin, std::min(text.find_first_of(ends, begin), text.size()) - begin);
}

}  // namespace

std::optional<std::string> first_slurm_node(const std::string& nodes) {
  std::string name = until_any(nodes, 0, ",[");
  if (name.size() < nodes.size() && nodes[name.size()] == '[') {
    const size_t close = nodes.find(']', name.size());
    const std::string number = until_any(nodes, name.size() + 1, "-,]");
    if (close == std::string::npos || number.empty() || !std::ranges::all_of(number, is_digit)) return {};
    name += number + until_any(nodes, close + 1, ",");
  }
  if (name.empty() || !std::ranges::all_of(name, is_of_node_name)) return {};
  return name;
}

}  // namespace kjoule
