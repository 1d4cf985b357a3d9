// Pure functions from a folder's rows to what the reports show.
#include <fmt/format.h>

#include <algorithm>

#include "cli/measured_run.hpp"
#include "compare/comparison.hpp"
#include "compare/findings.hpp"

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
    result.isolated_runs = one.runs;
    result.start_timestamp = row.at("start_timestamp");
    result.end_timestamp = row.at("end_timestamp");
  }
  classify(results, rules);
  return results;
}

namespace {

std::vector<OtherStart> other_starts_in(const std::vector<nlohmann::json>& rows) {
  std::vector<OtherStart> starts;
  for (const auto& row : rows)
    if (row.at("kind") == "start") starts.push_back({row.value("whole_s", 0.0), row.value("error", "")});
  return starts;
}

/// The precision that was asked for, as a share of the whole.
double asked_half_width(const std::vector<nlohmann::json>& rows) {
  const double usual = RoundOptions{}.precision;
  const nlohmann::json* row = find_last_row(rows, "stopped");
  return row == nullptr ? usual : row->value("precision", usual);
}

/// From when the program was paused until the last measurement ended; nothing where it was not paused.
std::optional<double> seconds_paused(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json* recording = find_row(rows, "recording");
  if (recording == nullptr || !recording->value("held_ns", nlohmann::json()).is_number()) return std::nullopt;
  int64_t end_ns = 0;
  for (const nlohmann::json& row : rows) end_ns = std::max(end_ns, row.value("end_ns", int64_t{0}));
  return static_cast<double>(end_ns - recording->at("held_ns").get<int64_t>()) * 1e-9;
}

/// What was measured of the launches in context, and how disturbed the device was meanwhile.
Measured measured_in(const Recording& recording, const KernelTable& table,
                     const std::vector<nlohmann::json>& rows) {
  const TimedIteration iteration = timed_iteration(recording, excluded_launches(table, rows));
  Measured measured;
  measured.timeline = timeline_result(rows, recording.launches.size());
  const std::vector<Round> rounds = read_rows(rows, "round", round_from_row);
  if (rounds.size() < kFewestRounds)
    throw Error("fewer than two complete rounds", "kjoule compare --resume DIR goes on measuring");
  measured.estimate = estimate(table, iteration, rounds,
                               measured.timeline ? measured.timeline->launch_s : std::vector<double>());
  const nlohmann::json* plan = find_row(rows, "plan");
  if (plan != nullptr && plan->contains("undisturbed_s")) {
    measured.undisturbed_s = plan->at("undisturbed_s").get<double>();
    for (const auto& group : iteration.joined_groups()) measured.joined.insert(group.begin(), group.end());
  }
  if (const nlohmann::json* row = find_row(rows, "control"))
    measured.control = EmptyKernelTimes{row->at("before_s"), row->at("after_s")};
  return measured;
}

}  // namespace

Comparison comparison_of(const Recording& recording, const std::vector<nlohmann::json>& rows,
                         KernelRules& rules, const std::optional<ReplayedTable>& replayed) {
  const KernelTable table = kernel_table(recording);
  Measured measured = measured_in(recording, table, rows);
  measured.asked_half_width = asked_half_width(rows);
  measured.other_starts = other_starts_in(rows);
  measured.isolated = read_rows(rows, "isolated", isolated_from_row);
  measured.excluded = excluded_kernels(rows);
  measured.full = full_timing(rows);
  if (const nlohmann::json* row = find_row(rows, "overlapped"))
    measured.overlapped = {row->value("seconds", std::vector<double>()), row->value("error", "")};
  measured.energy = energy_in(rows);
  Comparison comparison = make_comparison(table, measured);
  classify(comparison.kernels, rules);
  comparison.run = run_header(rows);
  comparison.held_s = seconds_paused(rows);
  comparison.replayed = replayed;
  if (const nlohmann::json* row = find_last_row(rows, "stopped")) comparison.stopped = row->at("by");
  if (const nlohmann::json* row = find_row(rows, "verification")) {
    comparison.verification = *row;
    comparison.verification.erase("kind");
    const size_t varying = row->value("varying", nlohmann::json::array()).size();
    if (varying > 0)
      comparison.residual.push_back(fmt::format(
          "check: {} launch{} gave other bits each time, or came after one that did: not deterministic",
          varying, varying == 1 ? "" : "es"));
  }
  comparison.findings = findings_of(comparison);
  return comparison;
}

}  // namespace kjoule
