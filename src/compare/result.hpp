#pragma once
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.hpp"
#include "compare/energy_result.hpp"
#include "compare/replayed_table.hpp"
#include "compare/verdict.hpp"
#include "measure/half_of_places.hpp"
#include "recording/activity.hpp"
#include "recording/recording.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

/// One kernel as the reports show it; seconds, all of its launches in an iteration together unless said
/// otherwise.
struct KernelResult {
  std::string name;
  Tier tier = Tier::unknown;
  std::string family, dtype;         ///< as the rules tell by the name; empty where they do not
  std::string category = "unknown";  ///< the same
  std::string signature;
  size_t count = 0;
  std::optional<Interval> in_context_s;
  std::optional<double> timeline_s;  ///< its launches inside the played whole
  std::optional<double> isolated_s;  ///< one launch, repeated back to back
  bool joined = false;               ///< some launches could not be timed apart from their neighbours
  std::optional<KernelJoules> energy;
  int isolated_runs = 0;
  std::string start_timestamp;  ///< of the isolated block
  std::string end_timestamp;
  std::string error;  ///< why it is missing from the sums
};

/// What the device's own timeline says of the recorded iteration, which no measurement of ours enters.
struct TimelineResult {
  Audit audit;
  /// The iteration as the program ran it while it was recorded; nothing when an activity has no times.
  std::optional<TimelineTotals> totals;
  std::vector<double> launch_s;  ///< each launch inside the played whole: its duration and the gap before it
  std::string launch_s_missing;  ///< why launch_s is empty
  std::string error;             ///< why there is nothing of all this

  /// launch_s added up.
  std::optional<double> played_whole_s() const {
    if (launch_s.empty()) return std::nullopt;
    return std::accumulate(launch_s.begin(), launch_s.end(), 0.0);
  }
};

/// A chain of kernels that do nothing, before and after the launches were measured.
struct EmptyKernelTimes {
  double before_s = 0, after_s = 0;
  double slower() const { return after_s / before_s - 1; }  ///< a share
};

/// The sum against the whole: what comparison_report.json and the console table say.
struct Comparison {
  nlohmann::json run;  ///< program, device, versions, options
  FullTiming full;
  Interval whole_s;
  /// One iteration before any graph but its own existed on the device; nothing where there are no graphs.
  std::optional<double> undisturbed_s;
  std::optional<EmptyKernelTimes> control;  ///< likewise
  std::optional<Interval> played_s;  ///< the recorded launches in one segment, where that is not the whole
  /// The iteration with the program's own streams side by side, where its launches may overlap.
  std::optional<Interval> overlapped_s;
  std::string overlapped_missing;  ///< why it could not be played
  Interval sum_s;
  std::optional<double> held_s;  ///< from when a program was held for measuring until the last round's end
  std::optional<double> isolated_sum_s;
  std::optional<HalfOfPlaces> half_of_places;  ///< nothing where no kernel has two places
  /// Share of the sum of launches that may begin before their predecessors end, and of their predecessors:
  /// their times are known together only.
  double joined_share = 0;
  std::vector<OtherStart> other_starts;    ///< with --starts
  std::optional<TimelineResult> timeline;  ///< nothing where the device keeps none
  /// Mean clock of the device's processors while the whole and while the launches were timed, where it is
  /// known.
  std::optional<double> whole_clock_hz, sum_clock_hz;
  /// Mean of |in context - timeline| over kernels, as a share; the timeline's times are first scaled to the
  /// same sum.
  std::optional<double> timeline_difference;
  std::vector<KernelResult> kernels;  ///< by falling in-context time
  int rounds = 0;
  std::string stopped;                ///< "precision" or "time limit"
  double asked_half_width = 0;        ///< of the sum's interval, as a share of the whole
  std::vector<std::string> residual;  ///< why sum and whole differ, in words
  std::vector<std::string> findings;  ///< what puts the figures in doubt, in words
  Judgement judgement;
  std::optional<VerifiedReplay> verification;
  std::optional<EnergyResult> energy;     ///< nothing where none was measured
  std::optional<ReplayedTable> replayed;  ///< the kernels of a table beside them, where one was given

  double error() const { return sum_s.value / whole_s.value - 1; }
  /// The program's own iteration as it ran, launch gaps included; nothing where none was timed.
  std::optional<double> program_iteration_s() const {
    if (full.run_s.empty()) return std::nullopt;
    return std::accumulate(full.run_s.begin(), full.run_s.end(), 0.0) /
           static_cast<double>(full.run_s.size());
  }
  /// Whether the whole is played without the program's launch gaps; on the CPU it is the program's own run.
  bool whole_is_played() const { return undisturbed_s.has_value(); }
};

}  // namespace kjoule
