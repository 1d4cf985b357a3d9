#include "report/range_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.hpp"
#include "names/short_names.hpp"
#include "report/microseconds.hpp"

namespace kjoule {

namespace {

constexpr size_t kRangeColumn = 34;

/// Returns the name of a range, indented by its depth.
std::string indented_name(const RangeResult& range) {
  const std::string indent(std::min<size_t>(2 * (range.path.size() - 1), kRangeColumn / 2), ' ');
  return indent + cut_in_middle(printable(range.path.back()), kRangeColumn - indent.size());
}

}  // namespace

std::string ranges_text(const std::vector<RangeResult>& ranges, double sum_s) {
  if (ranges.empty()) return {};
  const bool with_energy =
      std::ranges::any_of(ranges, [](const RangeResult& range) { return range.energy_j.has_value(); });
  std::string text = fmt::format("\n  {:<{}} {:>8} {:>10} {:>8} {:>6}{}\n", "NVTX ranges", kRangeColumn,
                                 "launches", "us", "+- us", "%", with_energy ? "      mJ" : "");
  for (const RangeResult& range : ranges) {
    text += fmt::format("  {:<{}} {:>8}", indented_name(range), kRangeColumn, range.launches);
    if (range.time_s)
      text += fmt::format(" {:>10.2f} {:>8.2g} {:>6.1f}", us(range.time_s->value),
                          us(range.time_s->half_width), 100 * range.time_s->value / sum_s);
    if (range.time_s && range.energy_j) text += fmt::format(" {:>7.2f}", 1e3 * range.energy_j->value);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json ranges_json(const std::vector<RangeResult>& ranges) {
  using Json = nlohmann::ordered_json;
  // An infinite half-width is printed as null.
  const auto half_width = [](const std::optional<Interval>& value, double factor) {
    return value ? Json(factor * value->half_width) : Json();
  };
  Json list = Json::array();
  for (const RangeResult& range : ranges)
    list.push_back({{"path", range.path},
                    {"launches", range.launches},
                    {"total_us", range.time_s ? Json(us(range.time_s->value)) : Json()},
                    {"half_width_us", half_width(range.time_s, 1e6)},
                    {"energy_joules", range.energy_j ? Json(range.energy_j->value) : Json()},
                    {"energy_half_width_joules", half_width(range.energy_j, 1)}});
  return list;
}

}  // namespace kjoule
