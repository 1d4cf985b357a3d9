#include "report/per_item.hpp"

#include <fmt/format.h>

#include "compare/iteration/launch_gaps.hpp"

namespace kjoule {

std::optional<double> items_of(const nlohmann::json& run) {
  const auto items = run.find("items");
  return items != run.end() ? std::optional(items->get<double>()) : std::nullopt;
}

namespace {

constexpr double kUsPerS = 1e6;

}  // namespace

nlohmann::ordered_json per_item_json(const Comparison& c, double items) {
  using Json = nlohmann::ordered_json;
  const auto each = [items](const std::optional<Interval>& value, double factor) {
    return value ? Json(factor * value->value / items) : Json();
  };
  std::optional<Interval> own_j, whole_j, sum_j;
  if (c.energy && c.energy->missing.empty()) {
    own_j = c.energy->own_j;
    whole_j = c.energy->estimate.whole_j;
    sum_j = c.energy->estimate.sum_j;
  }
  return {{"own_iteration_us", each(own_iteration(c), kUsPerS)},
          {"whole_us", each(c.times.whole_s, kUsPerS)},
          {"sum_us", each(c.times.sum_s, kUsPerS)},
          {"own_iteration_joules", each(own_j, 1)},
          {"whole_joules", each(whole_j, 1)},
          {"sum_joules", each(sum_j, 1)}};
}

std::string per_item_cell(double value, const std::optional<double>& items) {
  return items ? fmt::format(" {:>9.4g}", value / *items) : "";
}

}  // namespace kjoule
