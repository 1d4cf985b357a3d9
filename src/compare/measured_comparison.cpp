#include "compare/measured_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "compare/comparison.hpp"
#include "compare/findings.hpp"
#include "measure/isolated.hpp"
#include "measure/rounds.hpp"
#include "run/rows.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

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

std::optional<MeasuredEnergy> energy_in(const std::vector<nlohmann::json>& rows) {
  MeasuredEnergy measured;
  measured.idle_w = idle_w_in(rows);
  measured.blocks = read_rows(rows, "energy_block", energy_block_from_row);
  if (const nlohmann::json* plan = find_row(rows, "energy_plan")) measured.plan = energy_plan_from_row(*plan);
  const nlohmann::json* stopped = find_row(rows, "energy_stopped");
  if (stopped != nullptr) {
    measured.stopped = stopped->value("by", "");
    measured.missing = stopped->value("missing", "");
    measured.notes = stopped->value("notes", std::vector<std::string>());
  }
  if (stopped == nullptr && measured.blocks.empty()) return {};
  return measured;
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
