#pragma once
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/iteration/collective_results.hpp"
#include "compare/iteration/energy_result.hpp"
#include "compare/iteration/rank_result.hpp"
#include "compare/iteration/start_spread.hpp"
#include "compare/iteration/verdict.hpp"
#include "compare/kernels/kernel_ratios.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "compare/tables/replayed_table.hpp"
#include "measure/time/estimate.hpp"
#include "recording/activity.hpp"
#include "recording/recording.hpp"
#include "run/run_rows.hpp"
#include "run/watched_ranks.hpp"

namespace kjoule {

/// The launches of an iteration within one range (NVTX), including launches in inner ranges. Time and energy
/// are those of one iteration. Either is nothing if it is not known for the kernel of one of these launches.
struct RangeResult {
  /// Names of the ranges around this range, outermost first, and then its own name.
  std::vector<std::string> path;
  size_t launches = 0;
  std::optional<Interval> time_s, energy_j;
};

/// The recorded iteration on the device's own timeline (CUPTI), independent of kjoule's measurements.
struct TimelineResult {
  Audit audit;
  /// Totals of the iteration that was recorded, as the program ran it; nothing if an activity has no times.
  std::optional<TimelineTotals> totals;
  std::vector<double> launch_s;  ///< duration of each launch in the replayed whole, plus the gap before it
  /// Whether launches of the recorded iteration waited for other ranks, because these ranks had been paused.
  bool has_waited_for_ranks = false;
  double replay_gaps_s = 0;      ///< sum of all gaps within the replayed whole
  std::string launch_s_missing;  ///< why launch_s is empty
  std::string error;             ///< why the timeline is not available; empty if it is available

  /// Returns the sum of launch_s; nothing if launch_s is empty.
  std::optional<double> replayed_whole_s() const {
    if (launch_s.empty()) return std::nullopt;
    return std::accumulate(launch_s.begin(), launch_s.end(), 0.0);
  }
};

/// The comparison of sum and whole, with all values that comparison_report.json and the console show.
struct Comparison {
  nlohmann::json run;  ///< program, device, versions, options
  ProgramIterations program_iterations;
  /// The part of the run to which the iteration belongs; only set if it was measured in a further start of
  /// the program.
  std::optional<PartFacts> part;
  /// The spread of the GPU time of the loop's iterations, by the profiler; only set if the program was
  /// measured while it was in this loop.
  std::optional<IterationSpread> iteration_spread;
  SumEstimate times;   ///< the sum and the whole, with the times of launches and kernels
  WindowTimes window;  ///< the measured kernels with their replayed and profiled times
  /// The undisturbed whole (glossary), s; not available on devices without graphs.
  std::optional<double> undisturbed_s;
  bool restores = false;  ///< whether memory was restored after each replay (TimedIteration::restores)
  std::optional<ControlTimes> control;  ///< not available on devices without graphs
  /// Replayed time of the iteration with the program's streams in parallel, s; not available if its launches
  /// cannot overlap.
  std::optional<Interval> overlapped_s;
  std::string overlapped_missing;  ///< why overlapped_s is not available
  /// Time from pausing the program until the end of the last measurement; nothing if it was not paused.
  std::optional<double> paused_s;
  std::string iteration;  ///< states which launches are the iteration, and why; empty if not known
  std::optional<double> isolated_sum_s;  ///< sum of the kernels' times in isolation
  /// Share of the sum that belongs to groups of launches in which a launch may begin before its predecessor
  /// ends. Only the time of each such group as a whole is measured.
  double timed_together_share = 0;
  std::vector<OtherStart> other_starts;  ///< further starts of the program (--starts)
  /// Spread between starts of other programs; only set if this program ran on a GPU and was started once.
  std::optional<StartSpread> quoted_spread;
  std::optional<TimelineResult> timeline;  ///< not available if the device keeps no timeline
  /// Sum over kernels of |share of the time in context - share of the time on the timeline|.
  std::optional<double> timeline_difference;
  std::vector<KernelResult> kernels;  ///< in descending order of the time in context
  std::vector<RangeResult> ranges;    ///< range_results() of the iteration
  StoppedRounds stopped;              ///< reason for the end of the rounds; `by` is empty until they end
  RequestedAgreement requested;       ///< largest requested differences of sums from wholes
  std::vector<std::string> residual;  ///< lines of residual_of()
  std::vector<std::string> findings;  ///< lines of findings_of()
  Judgement judgement;
  std::optional<VerifiedReplay> verification;
  std::vector<CollectiveResult> collectives;  ///< of the ranks, if the program has several
  std::string collectives_missing;            ///< why the collectives of the ranks were not timed
  std::optional<WatchedRanks> watched;        ///< the ranks' own iterations, if the program has several
  std::vector<RankResult> ranks;              ///< all ranks if the program has several, this one first
  std::optional<EnergyResult> energy;     ///< energies of sum and whole; nothing if energy was not requested
  std::optional<ReplayedTable> replayed;  ///< the replayed kernels of a table, if one was given

  /// Returns the time of all iterations of the measured loop, s: the whole, times the profiled time of all
  /// iterations, divided by the profiled time of the measured iteration. Nothing if no loop was measured in a
  /// further start.
  std::optional<double> part_s() const {
    if (!part || !part->is_loop || part->measured_ns == 0) return std::nullopt;
    return times.whole_s.value * static_cast<double>(part->part_ns) / static_cast<double>(part->measured_ns);
  }
  double error() const { return times.sum_s.value / times.whole_s.value - 1; }
  /// Returns the spread of the measured loop's iterations in the log of the run; nothing if it is not known.
  const std::optional<IterationSpread>& loop_iterations() const {
    return part ? part->spread : iteration_spread;
  }
  /// Returns the times of the program's own iterations, launch gaps included, s. They are measured by the
  /// host's clock if the host waits for the device in each iteration, otherwise by the profiler as distances
  /// on the device (launch_gaps.cpp).
  std::vector<double> own_iterations_s() const;
  /// Returns the mean of own_iterations_s(); nothing if none was timed.
  std::optional<double> program_iteration_s() const {
    const std::vector<double> own_s = own_iterations_s();
    if (own_s.empty()) return std::nullopt;
    return std::accumulate(own_s.begin(), own_s.end(), 0.0) / static_cast<double>(own_s.size());
  }
};

}  // namespace kjoule
