#include "compare/measured_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "compare/comparison.hpp"
#include "compare/findings.hpp"
#include "compare/range_results.hpp"
#include "compare/window_times.hpp"
#include "measure/isolated/isolated_kernel.hpp"
#include "measure/time/rounds.hpp"
#include "recording/launch_match.hpp"
#include "run/rows.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

/// Removes the activities of launches that are not measured.
void keep_measured(const Recording& recording, const KernelTable& table, std::vector<Activity>& activities) {
  if (recording.edges.is_closed()) return;
  const std::vector<std::optional<LaunchIndex>> launches = launches_of(recording, activities);
  std::vector<Activity> kept;
  for (size_t i = 0; i < activities.size(); ++i)
    if (!launches[i] || table.kernel_at(*launches[i])) kept.push_back(std::move(activities[i]));
  activities = std::move(kept);
}

}  // namespace

std::optional<TimelineResult> timeline_result(const RowList& rows, const Recording& recording) {
  const size_t launches = recording.launches.size();
  TimelineResult result;
  result.has_waited_for_ranks = recording.program.contains("ranks");
  try {
    std::optional<Observation> seen = observation_in(rows);
    if (!seen) return std::nullopt;
    keep_measured(recording, kernel_table(recording), seen->iteration);
    result.audit = seen->audit;
    result.launch_s = seen->launch_s;
    result.replay_gaps_s = seen->replay_gaps_s;
    result.launch_s_missing = seen->launch_s_missing;
    const auto timed = [](const Activity& activity) { return activity.has_times(); };
    if (std::all_of(seen->iteration.begin(), seen->iteration.end(), timed))
      result.totals = timeline_totals(seen->iteration);
  } catch (const Error& error) {
    result.error = error.what();
  }
  if (!result.launch_s.empty() && result.launch_s.size() != launches) {
    result.launch_s_missing =
        fmt::format("the device's timeline contains times of {} launches, but the iteration has {}",
                    result.launch_s.size(), launches);
    result.launch_s.clear();
  }
  return result;
}

std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows,
                                           KernelRules& rules) {
  std::vector<KernelResult> results;
  for (const Kernel& kernel : table.kernels) {
    KernelResult result;
    result.name = kernel.name;
    result.tier = kernel.tier;
    result.signature = kernel.signature;
    result.bytes_moved = kernel.bytes_moved;
    result.count = kernel.places.size();
    results.push_back(std::move(result));
  }
  for (const auto& [one, start_timestamp, end_timestamp] : rows.all<IsolatedBlock>()) {
    KernelResult& result = results.at(one.kernel);
    result.error = one.error;
    if (!one.error.empty()) continue;
    result.isolated_s = one.single_s;
    result.isolated_runs = one.runs;
    result.start_timestamp = start_timestamp;
    result.end_timestamp = end_timestamp;
  }
  classify(results, rules);
  return results;
}

std::optional<MeasuredEnergy> energy_in(const RowList& rows) {
  MeasuredEnergy measured;
  measured.idle_w = idle_w_in(rows);
  measured.blocks = rows.all<EnergyBlock>();
  if (auto plan = rows.first<EnergyPlan>()) measured.plan = *std::move(plan);
  const auto stopped = rows.last<StoppedEnergy>();
  if (stopped) {
    measured.stopped = stopped->by;
    measured.missing = stopped->missing;
    measured.notes = stopped->notes;
  }
  if (!stopped && measured.blocks.empty()) return {};
  return measured;
}

namespace {

/// Returns the time from the moment when the program was paused until the end of the last measurement, s;
/// nothing if it was not paused.
std::optional<double> seconds_paused(const RowList& rows) {
  const auto recorded = rows.first<RecordedIteration>();
  if (!recorded || !recorded->paused_ns) return std::nullopt;
  return static_cast<double>(rows.latest_end_ns() - *recorded->paused_ns) * 1e-9;
}

/// Returns the measurements of launches in context, and the controls that show how much measuring disturbed
/// the device.
Measured measured_in(const Recording& recording, const KernelTable& table, const RowList& rows) {
  const TimedIteration iteration = timed_iteration(recording, excluded_launches(table, rows));
  Measured measured;
  measured.timeline = timeline_result(rows, recording);
  const std::vector<Round> rounds = rows.all<Round>();
  if (rounds.size() < kFewestRounds)
    throw Error("too little was measured for a result, which needs two complete rounds of measurements",
                "kjoule compare --resume DIR continues the measurement");
  measured.estimate = estimate(table, iteration, rounds,
                               measured.timeline ? measured.timeline->launch_s : std::vector<double>());
  const auto planned = rows.first<PlannedRounds>();
  if (const auto* plan = planned ? std::get_if<StampedPlan>(&planned->plan) : nullptr) {
    measured.undisturbed_s = plan->undisturbed_s;
    for (const auto& group : iteration.timed_together_groups())
      measured.timed_together.insert(group.begin(), group.end());
  }
  measured.control = rows.first<ControlTimes>();
  measured.verification = rows.first<VerifiedReplay>();
  for (LaunchIndex i = 0; i < recording.launches.size(); ++i)
    if (const auto kernel = table.kernel_at(i);
        kernel && recording.launches[i].detail.value(kUsesHostMemory, false))
      measured.host_memory_kernels.insert(*kernel);
  return measured;
}

}  // namespace

Comparison comparison_of(const Recording& recording, const RowList& rows, KernelRules& rules,
                         const std::optional<ReplayedTable>& replayed) {
  const KernelTable table = kernel_table(recording);
  Measured measured = measured_in(recording, table, rows);
  const auto stopped = rows.last<StoppedRounds>();
  measured.asked_half_width = stopped ? stopped->precision : RoundOptions{}.precision;
  const RequestedAgreement requested = rows.last<RequestedAgreement>().value_or(RequestedAgreement{});
  measured.requested_within = requested.time;
  measured.other_starts = rows.all<OtherStart>();
  nlohmann::json header = run_header(rows);
  const bool on_gpu = header.value("/device/kind"_json_pointer, "") == "cuda";
  if (on_gpu && measured.other_starts.empty()) measured.quoted_spread = bundled_start_spread();
  if (const auto part = rows.first<MeasuredPart>()) measured.part = part->facts;
  if (const auto loop = rows.first<LoopSpread>()) measured.iteration_spread = loop->spread;
  measured.iteration = recording.program.value("iteration", "");
  measured.isolated = rows.all<IsolatedKernel>();
  measured.excluded = excluded_kernels(rows);
  measured.program_iterations = program_iterations_in(rows);
  if (const auto replays = rows.first<OverlappedReplays>()) measured.overlapped = *replays;
  measured.energy = energy_in(rows);
  if (const auto own = rows.first<OwnPower>()) measured.own_w = own->power.watts;
  Comparison comparison = make_comparison(table, measured);
  comparison.window = window_times(recording, measured.estimate, rows);
  classify(comparison.kernels, rules);
  comparison.ranges = range_results(recording, measured.estimate.launch_s, comparison.kernels);
  comparison.run = std::move(header);
  comparison.paused_s = seconds_paused(rows);
  comparison.replayed = replayed;
  if (stopped) comparison.stopped = stopped->by;
  if (comparison.energy) comparison.energy->requested_within = requested.energy;
  if (comparison.verification) {
    const size_t varying = comparison.verification->found.varying.size();
    if (varying > 0)
      comparison.residual.push_back(
          fmt::format("check: the output of {} launch{} changes from replay to replay, or depends on such a "
                      "launch: the program is not deterministic",
                      varying, varying == 1 ? "" : "es"));
  }
  comparison.findings = findings_of(comparison);
  return comparison;
}

}  // namespace kjoule
