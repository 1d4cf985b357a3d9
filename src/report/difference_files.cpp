#include "report/difference_files.hpp"

#include "report/difference_columns.hpp"
#include "report/difference_text.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

/// Returns a change as an object; null if there is no value. An infinite half-width is printed as null.
Json change_json(const std::optional<ValueChange>& value, const ReportedQuantity& quantity) {
  return value ? json_object(change_columns(quantity), {value, &quantity}) : Json();
}

Json kernel_json(const KernelChange& kernel) {
  Json json = json_object(changed_line_columns(), {"", "kernel", &kernel});
  json["time_us"] = change_json(kernel.time_s, kTime);
  json["energy_mj"] = change_json(kernel.energy_j, kEnergy);
  return json;
}

Json parts_json(const std::vector<PartChange>& parts) {
  Json list = Json::array();
  for (const PartChange& part : parts)
    list.push_back({{"name", part.name},
                    {"count_before", part.count_before},
                    {"count_after", part.count_after},
                    {"time_us", change_json(part.time_s, kTime)},
                    {"energy_mj", change_json(part.energy_j, kEnergy)}});
  return list;
}

Json iteration_json(const IterationDifference& iteration) {
  Json kernels = Json::array();
  for (const KernelChange& kernel : iteration.kernels) kernels.push_back(kernel_json(kernel));
  const auto phase = [](const std::string& name) { return name.empty() ? Json() : Json(name); };
  return {{"phase_before", phase(iteration.phase_before)},
          {"phase_after", phase(iteration.phase_after)},
          {"program_iteration_us", change_json(iteration.program_s, kTime)},
          {"whole_us", change_json(iteration.whole_s, kTime)},
          {"sum_us", change_json(iteration.sum_s, kTime)},
          {"whole_mj", change_json(iteration.whole_j, kEnergy)},
          {"whole_w", change_json(iteration.whole_w, kPower)},
          {"kernels", std::move(kernels)},
          {"ranges", parts_json(iteration.ranges)}};
}

Json run_json(const Baseline& baseline) {
  return {{"title", baseline.title},
          {"measured", baseline.measured},
          {"kjoule", baseline.kjoule},
          {"device", baseline.device.name}};
}

/// Adds a line for each range or layer.
void add_parts(std::vector<ChangedLine>& lines, const std::vector<PartChange>& parts,
               const std::string& phase, const char* what) {
  for (const PartChange& part : parts)
    lines.push_back({phase, what, nullptr, &part, part.time_s, part.energy_j});
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
  json["run_us"] = change_json(difference.run_s, kTime);
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
  std::vector<ChangedLine> lines;
  for (const IterationDifference& iteration : difference.iterations) {
    const std::string& phase = iteration.phase_after;
    lines.push_back({phase, "whole", nullptr, nullptr, iteration.whole_s, iteration.whole_j});
    for (const KernelChange& kernel : iteration.kernels)
      lines.push_back({phase, "kernel", &kernel, nullptr, kernel.time_s, kernel.energy_j});
    add_parts(lines, iteration.ranges, phase, "range");
  }
  add_parts(lines, difference.layers, "", "layer");
  return csv_text(changed_line_columns(), lines);
}

}  // namespace kjoule
