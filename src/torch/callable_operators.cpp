#include "torch/callable_operators.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "callable_operators_text.hpp"

namespace kjoule::runner {

namespace {

/// Returns the lines of the shipped list. Its comment lines need no special treatment, because no operator
/// has such a name.
const std::unordered_set<std::string_view>& shipped_operators() {
  static const std::unordered_set<std::string_view> all = [] {
    std::unordered_set<std::string_view> lines;
    std::string_view rest = kCallableOperators;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines.insert(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
  }();
  return all;
}

}  // namespace

CallableOperators::CallableOperators(std::vector<std::string> allowed) : allowed_(std::move(allowed)) {}

bool CallableOperators::contain(std::string_view name) const {
  return shipped_operators().contains(name) || std::ranges::find(allowed_, name) != allowed_.end();
}

}  // namespace kjoule::runner
