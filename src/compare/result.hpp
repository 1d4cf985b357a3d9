#pragma once
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/energy_result.hpp"
#include "compare/kernel_ratios.hpp"
#include "compare/rank_result.hpp"
#include "compare/replayed_table.hpp"
#include "compare/start_spread.hpp"
#include "compare/verdict.hpp"
#include "measure/time/estimate.hpp"
#include "recording/activity.hpp"
#include "recording/recording.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

/// One kernel as reports show it. Times are in seconds per iteration, all launches of the kernel together,
/// unless stated otherwise.
struct KernelResult {
  std::string name;
  Tier tier = Tier::unknown;
  std::string family, dtype;         ///< by the rules for names; empty if no rule matches
  std::string category = "unknown";  ///< by the rules for names
  std::string signature;
  size_t count = 0;
  std::optional<Interval> in_context_s;
  std::optional<double> timeline_s;     ///< time on the device's timeline of the replayed whole
  std::optional<double> isolated_s;     ///< time of one launch, repeated back to back
  std::optional<uint64_t> bytes_moved;  ///< by one launch, if it is a copy or a memset
  bool uses_host_memory = false;        ///< whether a launch is given an address in memory of the host
  bool timed_together = false;  ///< whether some launches could not be timed separately from their neighbours
  std::optional<KernelJoules> energy;
  int isolated_runs = 0;
  std::string start_timestamp;  ///< local times of the block in isolation
  std::string end_timestamp;
  std::string error;           ///< why the kernel is missing from the sums; empty if it is not
  std::string isolated_error;  ///< why it has no time in isolation, though it is in the sum
};

/// The launches of an iteration within one range (NVTX), those of ranges within it included. Time and energy
/// are of one iteration; they are not available if a launch's kernel has none.
struct RangeResult {
  std::vector<std::string> path;  ///< names of the ranges around it, the outermost first, and its own
  size_t launches = 0;
  std::optional<Interval> time_s, energy_j;
};

/// The recorded iteration on the device's own timeline, which does not depend on kjoule's measurements.
struct TimelineResult {
  Audit audit;
  /// The iteration as the program ran it while it was recorded; not available if an activity has no times.
  std::optional<TimelineTotals> totals;
  std::vector<double> launch_s;  ///< duration of each launch in the replayed whole, and the gap before it
  /// Whether launches of that iteration waited for other ranks, which had been paused as well.
  bool has_waited_for_ranks = false;
  double replay_gaps_s = 0;      ///< all gaps within the replayed whole
  std::string launch_s_missing;  ///< why launch_s is empty
  std::string error;             ///< why the timeline is not available; empty if it is

  /// Returns the sum of launch_s; nothing if it is empty.
  std::optional<double> replayed_whole_s() const {
    if (launch_s.empty()) return std::nullopt;
    return std::accumulate(launch_s.begin(), launch_s.end(), 0.0);
  }
};

/// The comparison of sum and whole, with everything that comparison_report.json and the console show.
struct Comparison {
  nlohmann::json run;  ///< program, device, versions, options
  ProgramIterations program_iterations;
  /// The part of the run to which the iteration belongs. It is set only if a further start measured it.
  std::optional<PartFacts> part;
  /// How much the iterations of the loop differ in GPU time, by the profiler; known for a program that was
  /// measured while it was in its loop.
  std::optional<IterationSpread> iteration_spread;
  SumEstimate times;   ///< the sum and the whole, with the times of launches and kernels
  WindowTimes window;  ///< its kernels with their replayed and profiled times
  /// The undisturbed whole, one iteration before any other graph existed on the device; not available on
  /// devices without graphs.
  std::optional<double> undisturbed_s;
  std::optional<ControlTimes> control;  ///< not available on devices without graphs
  /// The iteration with the program's own streams in parallel; not available if its launches cannot overlap.
  std::optional<Interval> overlapped_s;
  std::string overlapped_missing;  ///< why overlapped_s is not available
  /// Time from the moment when the program was paused until the end of the last measurement.
  std::optional<double> paused_s;
  std::string iteration;  ///< which launches are the iteration and why; empty if that is not known
  std::optional<double> isolated_sum_s;
  /// Share of the sum that belongs to launches which may begin before their predecessors end, and to these
  /// predecessors. Only their common times are known.
  double timed_together_share = 0;
  std::vector<OtherStart> other_starts;  ///< with --starts
  /// Spread between starts of other programs; only if this program was replayed on a GPU and started once.
  std::optional<StartSpread> quoted_spread;
  std::optional<TimelineResult> timeline;  ///< not available if the device keeps no timeline
  /// Sum over kernels of |in context - timeline|, as a share of the sum. The timeline's times are first
  /// scaled to the same sum.
  std::optional<double> timeline_difference;
  std::vector<KernelResult> kernels;  ///< in descending order of the time in context
  std::vector<RangeResult> ranges;    ///< of range_results()
  StoppedRounds stopped;              ///< what ended the rounds; `by` is empty while they are measured
  RequestedAgreement requested;       ///< how far sums may be from their wholes
  std::vector<std::string> residual;  ///< lines of residual_of()
  std::vector<std::string> findings;  ///< lines of findings_of()
  Judgement judgement;
  std::optional<VerifiedReplay> verification;
  std::vector<RankResult> ranks;          ///< all ranks of a program that has several, this one first
  std::optional<EnergyResult> energy;     ///< not available if it was not measured
  std::optional<ReplayedTable> replayed;  ///< the replayed kernels of a table, if one was given

  /// Returns the time of all iterations of the measured loop: the whole, scaled by the profiler's times;
  /// nothing if no loop was measured in a further start.
  std::optional<double> part_s() const {
    if (!part || !part->is_loop || part->measured_ns == 0) return std::nullopt;
    return times.whole_s.value * static_cast<double>(part->part_ns) / static_cast<double>(part->measured_ns);
  }
  double error() const { return times.sum_s.value / times.whole_s.value - 1; }
  /// Returns what the run's log shows of the measured loop's iterations; nothing if none was measured.
  const std::optional<IterationSpread>& loop_iterations() const {
    return part ? part->spread : iteration_spread;
  }
  /// Returns the times of the program's own iterations, launch gaps included, s: by the host's clock if it
  /// waits for the device in each, otherwise as distances on the device by the profiler (launch_gaps.cpp).
  std::vector<double> own_iterations_s() const;
  /// Returns their mean; nothing if none was timed.
  std::optional<double> program_iteration_s() const {
    const std::vector<double> own_s = own_iterations_s();
    if (own_s.empty()) return std::nullopt;
    return std::accumulate(own_s.begin(), own_s.end(), 0.0) / static_cast<double>(own_s.size());
  }
};

}  // namespace kjoule
