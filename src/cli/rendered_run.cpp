// Pure functions from a folder's rows to what the reports show.
#include <fmt/format.h>

#include <algorithm>

#include "cli/measured_run.hpp"
#include "compare/comparison.hpp"

namespace kjoule {

std::optional<Observation> observation_in(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json* row = find_row(rows, "timeline");
  if (row == nullptr) return std::nullopt;
  if (row->contains("error")) throw Error(row->at("error").get<std::string>());
  return observation_from_json(*row);
}

std::optional<TimelineResult> timeline_result(const std::vector<nlohmann::json>& rows, size_t launches) {
  TimelineResult result;
  try {
    const std::optional<Observation> seen = observation_in(rows);
    if (!seen) return std::nullopt;
    result.audit = seen->audit;
    result.launch_s = seen->launch_s;
    result.launch_s_missing = seen->launch_s_missing;
    const auto timed = [](const Activity& activity) { return activity.has_times(); };
    if (std::all_of(seen->iteration.begin(), seen->iteration.end(), timed))
      result.totals = timeline_totals(seen->iteration);
  } catch (const Error& error) {
    result.error = error.what();
  }
  if (!result.launch_s.empty() && result.launch_s.size() != launches) {
    result.launch_s_missing =
        fmt::format("the device timed {} launches of {}", result.launch_s.size(), launches);
    result.launch_s.clear();
  }
  return result;
}

nlohmann::json run_header(const std::vector<nlohmann::json>& rows) {
  nlohmann::json header = rows.at(0);
  header.erase("kind");
  for (const auto& row : rows) {
    if (row.at("kind") != "load") continue;
    header["load"].push_back(row);
    header["load"].back().erase("kind");
  }
  return header;
}

FullTiming full_timing(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json* row = find_row(rows, "whole");
  if (row == nullptr) throw Error("the whole has not been measured", "kjoule full measures it");
  return {row->at("seconds"),       row->at("warmup"),   row->at("start_timestamp"),
          row->at("end_timestamp"), row->at("begin_ns"), row->at("end_ns")};
}

std::map<uint32_t, std::string> excluded_kernels(const std::vector<nlohmann::json>& rows) {
  std::map<uint32_t, std::string> excluded;
  for (const auto& row : rows)
    if (row.at("kind") == "excluded") excluded.emplace(row.at("kernel").get<uint32_t>(), row.at("error"));
  return excluded;
}

std::set<LaunchIndex> excluded_launches(const KernelTable& table, const std::vector<nlohmann::json>& rows) {
  std::set<LaunchIndex> excluded;
  for (const auto& [kernel, why] : excluded_kernels(rows))
    excluded.insert(table.kernels.at(kernel).places.begin(), table.kernels.at(kernel).places.end());
  return excluded;
}

std::vector<KernelResult> isolated_results(const KernelTable& table, const std::vector<nlohmann::json>& rows,
                                           KernelRules& rules) {
  std::vector<KernelResult> results;
  for (const Kernel& kernel : table.kernels) {
    KernelResult result;
    result.name = kernel.name;
    result.tier = kernel.tier;
    result.signature = kernel.signature;
    result.count = kernel.places.size();
    results.push_back(std::move(result));
  }
  for (const auto& row : rows) {
    if (row.at("kind") != "isolated") continue;
    const IsolatedKernel one = isolated_from_row(row);
    KernelResult& result = results.at(one.kernel);
    result.error = one.error;
    if (!one.error.empty()) continue;
    result.isolated_s = one.single_s;
    result.on_the_spot_s = one.on_the_spot_s;
    result.isolated_runs = one.runs;
    result.start_timestamp = row.at("start_timestamp");
    result.end_timestamp = row.at("end_timestamp");
  }
  classify(results, rules);
  return results;
}

Comparison comparison_of(const KernelTable& table, const std::vector<nlohmann::json>& rows,
                         KernelRules& rules) {
  const std::vector<Round> rounds = read_rows(rows, "round", round_from_row);
  if (rounds.size() < 2)
    throw Error("fewer than two complete rounds", "kjoule compare --resume DIR goes on measuring");
  OverlappedRuns overlapped;
  if (const nlohmann::json* row = find_row(rows, "overlapped"))
    overlapped = {row->value("seconds", std::vector<double>()), row->value("error", "")};
  const nlohmann::json* plan = find_row(rows, "plan");
  Comparison comparison = make_comparison(
      table, {estimate(table, rounds), plan ? plan_from_row(*plan).first_whole_s : std::nullopt,
              read_rows(rows, "isolated", isolated_from_row), excluded_kernels(rows), full_timing(rows),
              overlapped, timeline_result(rows, table.kernel_of.size()), energy_in(rows)});
  classify(comparison.kernels, rules);
  comparison.run = run_header(rows);
  const nlohmann::json* recording = find_row(rows, "recording");
  if (recording != nullptr && recording->value("held_ns", nlohmann::json()).is_number())
    comparison.held_s =
        static_cast<double>(rounds.back().end_ns - recording->at("held_ns").get<int64_t>()) * 1e-9;
  if (const nlohmann::json* row = find_row(rows, "stopped")) comparison.stopped = row->at("by");
  if (const nlohmann::json* row = find_row(rows, "verification")) {
    comparison.verification = *row;
    comparison.verification.erase("kind");
    const size_t varying = row->value("varying", nlohmann::json::array()).size();
    if (varying > 0)
      comparison.residual.push_back(fmt::format(
          "check: {} launch{} gave other bits each time, or came after one that did: not deterministic",
          varying, varying == 1 ? "" : "es"));
  }
  return comparison;
}

}  // namespace kjoule
