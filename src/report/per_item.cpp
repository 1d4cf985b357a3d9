#include "report/per_item.hpp"

#include <fmt/format.h>

#include "base/microseconds.hpp"
#include "compare/launch_gaps.hpp"
#include "report/microseconds.hpp"

namespace kjoule {

std::optional<double> items_of(const nlohmann::json& run) {
  const auto items = run.find("items");
  return items != run.end() ? std::optional(items->get<double>()) : std::nullopt;
}

nlohmann::ordered_json per_item_json(const Comparison& c, double items) {
  using Json = nlohmann::ordered_json;
  const auto each = [&](bool is_known, double value) { return is_known ? Json(value / items) : Json(); };
  const auto own = own_iteration(c);
  const bool has_energy = c.energy && c.energy->missing.empty();
  return {{"own_iteration_us", each(own.has_value(), own ? us(own->value) : 0)},
          {"whole_us", us(c.whole_s.value) / items},
          {"sum_us", us(c.sum_s.value) / items},
          {"own_iteration_joules",
           each(has_energy && c.energy->own_j, has_energy && c.energy->own_j ? c.energy->own_j->value : 0)},
          {"whole_joules", each(has_energy, has_energy ? c.energy->whole_j.value : 0)},
          {"sum_joules", each(has_energy, has_energy ? c.energy->sum_j.value : 0)}};
}

std::string per_item_cell(double value, const std::optional<double>& items) {
  return items ? fmt::format(" {:>9.4g}", value / *items) : "";
}

}  // namespace kjoule
