#include "compare/compare_iteration.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "compare/iteration/energy.hpp"
#include "compare/iteration/kernel_times.hpp"
#include "compare/iteration/range_results.hpp"
#include "compare/iteration/timeline_result.hpp"
#include "compare/iteration/window_times.hpp"
#include "compare/judgement/findings.hpp"
#include "compare/judgement/judge.hpp"
#include "compare/judgement/residual.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "measure/isolated/isolated_kernel.hpp"
#include "measure/time/rounds.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

/// Returns the time, in s, from pausing the program until the end of the last measurement; nothing if the
/// program was not paused.
std::optional<double> seconds_paused(const RowList& rows) {
  const auto recorded = rows.first<RecordedIteration>();
  if (!recorded || !recorded->paused_ns) return std::nullopt;
  return static_cast<double>(rows.latest_end_ns() - *recorded->paused_ns) * 1e-9;
}

/// Adds the facts that are in rows directly, without an estimate.
void add_facts(const RowList& rows, Comparison& c) {
  c.run = run_header(rows);
  c.stopped = rows.last<StoppedRounds>().value_or(StoppedRounds{"", RoundOptions{}.precision});
  c.requested = rows.last<RequestedAgreement>().value_or(RequestedAgreement{});
  c.program_iterations = program_iterations_in(rows);
  c.paused_s = seconds_paused(rows);
  c.control = rows.first<ControlTimes>();
  c.verification = rows.first<VerifiedReplay>();
  if (const auto part = rows.first<MeasuredPart>()) c.part = part->facts;
  if (const auto loop = rows.first<LoopSpread>()) c.iteration_spread = loop->spread;
  if (const auto replays = rows.first<OverlappedReplays>()) {
    if (replays->seconds.size() > 1) c.overlapped_s = mean_interval(replays->seconds);
    c.overlapped_missing = replays->error;
  }
  c.other_starts = rows.all<OtherStart>();
  const bool on_gpu = c.run.value("/device/kind"_json_pointer, "") == "cuda";
  if (on_gpu && c.other_starts.empty()) c.quoted_spread = bundled_start_spread();
}

/// Adds the times of sum, whole and kernels. Throws Error if too few rounds were measured.
void add_estimate(const Recording& recording, const KernelTable& table, const RowList& rows, Comparison& c) {
  const TimedIteration iteration = measured_iteration(recording, table, rows);
  const std::vector<Round> rounds = rows.all<Round>();
  if (rounds.size() < kFewestRounds)
    throw Error("too little was measured for a result, which needs two complete rounds of measurements",
                "continue the measurement with kjoule compare --resume DIR");
  c.times = estimate(table, iteration, rounds, c.timeline ? c.timeline->launch_s : std::vector<double>());
  const auto planned = rows.first<PlannedRounds>();
  std::set<LaunchIndex> timed_together;
  if (const auto* plan = planned ? std::get_if<StampedPlan>(&planned->plan) : nullptr) {
    c.undisturbed_s = plan->undisturbed_s;
    c.restores = iteration.restores;
    for (const auto& group : iteration.timed_together_groups())
      timed_together.insert(group.begin(), group.end());
  }
  add_times(table, timed_together, c);
}

/// Marks the kernels that have addresses of host memory as arguments, and those that are missing from the
/// sum.
void mark_kernels(const Recording& recording, const KernelTable& table, const RowList& rows,
                  std::vector<KernelResult>& kernels) {
  for (LaunchIndex i = 0; i < recording.launches.size(); ++i)
    if (const auto kernel = table.kernel_at(i);
        kernel && recording.launches[i].detail.value(kUsesHostMemory, false))
      kernels.at(*kernel).uses_host_memory = true;
  for (const auto& [kernel, why] : excluded_kernels(rows)) {
    kernels.at(kernel).error = why;
    kernels.at(kernel).in_context_s.reset();
    kernels.at(kernel).timeline_s.reset();
  }
}

void add_isolated(const RowList& rows, std::vector<KernelResult>& kernels) {
  for (const IsolatedKernel& one : rows.all<IsolatedKernel>()) {
    KernelResult& kernel = kernels.at(one.kernel);
    if (!one.error.empty()) {
      kernel.isolated_error = one.error;
      continue;
    }
    kernel.isolated_s = one.single_s;
    kernel.isolated_runs = one.runs;
  }
}

}  // namespace

Comparison compare_iteration(const Recording& recording, const RowList& rows, KernelRules& rules,
                             const std::optional<ReplayedTable>& replayed) {
  const KernelTable table = kernel_table(recording);
  Comparison c;
  add_facts(rows, c);
  c.iteration = recording.program.value("iteration", "");
  c.replayed = replayed;
  c.timeline = timeline_result(rows, recording);
  c.kernels = kernel_results(table);
  add_estimate(recording, table, rows, c);
  add_isolated(rows, c.kernels);
  add_energy(rows, c);
  mark_kernels(recording, table, rows, c.kernels);
  complete_kernels(c);
  classify(c.kernels, rules);
  c.window = window_times(recording, c.times, rows);
  c.ranges = range_results(recording, c.times.launch_s, c.kernels);
  c.residual = residual_of(c);
  c.judgement = judge(c);
  c.findings = findings_of(c);
  return c;
}

}  // namespace kjoule
