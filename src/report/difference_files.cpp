#include "report/difference_files.hpp"

#include <fmt/format.h>

#include "base/files/csv.hpp"
#include "report/difference_text.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

/// Returns a change with its values in the unit of `factor`. An infinite half-width is printed as null.
Json change_json(const std::optional<ValueChange>& value, double factor) {
  if (!value) return nullptr;
  const Interval change = value->difference(), share = value->share();
  return {{"before", factor * value->before.value}, {"before_half_width", factor * value->before.half_width},
          {"after", factor * value->after.value},   {"after_half_width", factor * value->after.half_width},
          {"change", factor * change.value},        {"change_half_width", factor * change.half_width},
          {"change_percent", 100 * share.value},    {"change_half_width_percent", 100 * share.half_width},
          {"changed", value->is_change()}};
}

Json launches_json(const std::vector<NamedLaunches>& launches) {
  Json list = Json::array();
  for (const NamedLaunches& one : launches) list.push_back({{"name", one.name}, {"count", one.count}});
  return list;
}

Json kernel_json(const KernelChange& kernel) {
  return {{"kind", to_string(kernel.kind)},
          {"before", launches_json(kernel.before)},
          {"after", launches_json(kernel.after)},
          {"occurrences", kernel.occurrences},
          {"time_us", change_json(kernel.time_s, 1e6)},
          {"energy_mj", change_json(kernel.energy_j, 1e3)}};
}

Json parts_json(const std::vector<PartChange>& parts) {
  Json list = Json::array();
  for (const PartChange& part : parts)
    list.push_back({{"name", part.name},
                    {"count_before", part.count_before},
                    {"count_after", part.count_after},
                    {"time_us", change_json(part.time_s, 1e6)},
                    {"energy_mj", change_json(part.energy_j, 1e3)}});
  return list;
}

Json iteration_json(const IterationDifference& iteration) {
  Json kernels = Json::array();
  for (const KernelChange& kernel : iteration.kernels) kernels.push_back(kernel_json(kernel));
  const auto phase = [](const std::string& name) { return name.empty() ? Json() : Json(name); };
  return {{"phase_before", phase(iteration.phase_before)},
          {"phase_after", phase(iteration.phase_after)},
          {"program_iteration_us", change_json(iteration.program_s, 1e6)},
          {"whole_us", change_json(iteration.whole_s, 1e6)},
          {"sum_us", change_json(iteration.sum_s, 1e6)},
          {"whole_mj", change_json(iteration.whole_j, 1e3)},
          {"whole_w", change_json(iteration.whole_w, 1)},
          {"kernels", std::move(kernels)},
          {"ranges", parts_json(iteration.ranges)}};
}

Json run_json(const Baseline& baseline) {
  return {{"title", baseline.title},
          {"measured", baseline.measured},
          {"kjoule", baseline.kjoule},
          {"device", baseline.device.name}};
}

/// Returns the cells of a change: before, after, change, half-width, whether it changed.
std::vector<std::string> cells_of(const std::optional<ValueChange>& value, double factor) {
  if (!value) return {"", "", "", "", ""};
  const Interval change = value->difference();
  return {number_cell(factor * value->before.value), number_cell(factor * value->after.value),
          number_cell(factor * change.value), number_cell(factor * change.half_width),
          value->is_change() ? "yes" : "no"};
}

std::string line_of(std::vector<std::string> cells, const std::optional<ValueChange>& time_s,
                    const std::optional<ValueChange>& energy_j) {
  for (const auto& more : {cells_of(time_s, 1e6), cells_of(energy_j, 1e3)})
    cells.insert(cells.end(), more.begin(), more.end());
  return csv_line(cells) + "\n";
}

std::string launches_cell(const std::vector<NamedLaunches>& launches) {
  std::string text;
  for (const NamedLaunches& one : launches)
    text += fmt::format("{}{} x {}", text.empty() ? "" : "; ", one.count, one.name);
  return text;
}

std::string part_lines(const std::vector<PartChange>& parts, const std::string& phase, const char* what) {
  std::string text;
  for (const PartChange& part : parts)
    text += line_of({phase, what, "", fmt::format("{} x {}", part.count_before, part.name),
                     fmt::format("{} x {}", part.count_after, part.name)},
                    part.time_s, part.energy_j);
  return text;
}

}  // namespace

nlohmann::ordered_json difference_json(const Difference& difference, const ChangeLimits& limits) {
  Json json = {
      {"schema", 1},
      {"before", run_json(difference.before)},
      {"after", run_json(difference.after)},
      {"start_half_width_percent", difference.start_share ? Json(100 * *difference.start_share) : Json()},
      {"start_half_width_source", difference.start_share_source}};
  json["iterations"] = Json::array();
  for (const IterationDifference& iteration : difference.iterations)
    json["iterations"].push_back(iteration_json(iteration));
  json["only_before"] = difference.only_before;
  json["only_after"] = difference.only_after;
  json["run_us"] = change_json(difference.run_s, 1e6);
  json["layers"] = parts_json(difference.layers);
  json["findings"] = difference.findings;
  const auto percent = [](const std::optional<double>& share) { return share ? Json(100 * *share) : Json(); };
  json["time_limit_percent"] = percent(limits.time);
  json["energy_limit_percent"] = percent(limits.energy);
  const bool is_judged = limits.are_given();
  json["verdict"] = is_judged ? Json(to_string(difference.rose_above(limits))) : Json();
  json["verdict_reason"] = is_judged ? Json(limit_sentence(difference, limits)) : Json();
  return json;
}

std::string difference_csv(const Difference& difference) {
  std::string text = csv_line({"phase", "part", "kind", "before", "after", "before_us", "after_us",
                               "change_us", "change_half_width_us", "time_changed", "before_mj", "after_mj",
                               "change_mj", "change_half_width_mj", "energy_changed"}) +
                     "\n";
  for (const IterationDifference& iteration : difference.iterations) {
    text += line_of({iteration.phase_after, "whole", "", "", ""}, iteration.whole_s, iteration.whole_j);
    for (const KernelChange& kernel : iteration.kernels)
      text += line_of({iteration.phase_after, "kernel", to_string(kernel.kind), launches_cell(kernel.before),
                       launches_cell(kernel.after)},
                      kernel.time_s, kernel.energy_j);
    text += part_lines(iteration.ranges, iteration.phase_after, "range");
  }
  text += part_lines(difference.layers, "", "layer");
  return text;
}

}  // namespace kjoule
