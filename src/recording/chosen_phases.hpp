#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/loop_iterations.hpp"
#include "recording/phase_pattern.hpp"
#include "recording/run_log.hpp"
#include "recording/run_summary.hpp"

namespace kjoule {

/// A part of a run (a loop or a single pass), and the launches that are measured for it: one iteration of the
/// loop, or the launches of the pass. Launches are numbered as in --iterations: each node of a graph counts.
/// A GPU time is the time in which at least one operation runs, as CUPTI reports it.
struct PartFacts {
  bool is_loop = false;
  uint64_t first = 0, end = 0;  ///< numbers of the measured launches; `end` is not included
  /// Number of the loop's iterations, in all its runs, that the measured iteration represents; 1 for a single
  /// pass.
  uint64_t iterations = 1;
  /// Number of measured iterations of the loop, if several are measured because the iterations differ. 0 if
  /// only one iteration is measured.
  uint64_t samples = 0;
  double run_share = 0;                     ///< the part's share of the run's GPU time, from 0 to 1
  int64_t measured_ns = 0;                  ///< GPU time of the measured launches
  int64_t part_ns = 0;                      ///< GPU time of the whole part
  std::optional<IterationSpread> spread{};  ///< nothing if the times of fewer than two iterations are known

  uint64_t launches() const { return end - first; }
  /// Returns whether the part is a window instead of a phase. The GPU time of a window is not known, because
  /// the profiler's records were closed while it was recorded.
  bool is_window() const { return !is_loop && part_ns == 0; }
  /// Returns the kind of part in reports: "loop", "window" or "single pass".
  const char* kind() const { return is_loop ? "loop" : is_window() ? "window" : "single pass"; }
  /// Returns whether the GPU times of the loop's iterations differ so much that one iteration cannot
  /// represent all.
  bool iterations_differ() const { return is_loop && spread && spread->is_wide(); }
  bool operator==(const PartFacts&) const = default;
};
template <class Fields>
void describe(Fields& fields, PartFacts& facts) {
  fields("is_loop", facts.is_loop);
  fields("first_launch", facts.first);
  fields("end_launch", facts.end);
  fields("iterations", facts.iterations);
  fields.unless_empty("samples", facts.samples);
  fields("run_share", facts.run_share);
  fields("measured_busy_ns", facts.measured_ns);
  fields("part_busy_ns", facts.part_ns);
  fields("spread", facts.spread);
}

/// A phase that will be measured when the program is started again.
struct ChosenPhase {
  PartFacts facts;
  PhasePattern pattern;
  double rounds_s = 0;  ///< time limit of the phase's rounds, in s
  /// The phase's rounds end when its half-width is at most this multiple of the requested half-width
  /// (--precision). The multiple is 1 / sqrt(facts.run_share), at most 2, rounded to steps of 0.25. With
  /// these multiples, the independent errors of all phases add up to about the requested half-width for the
  /// run. The rounding gives a resumed run the same multiple.
  double pooled_precision = 1;
};

/// A phase of the run that is not measured by replay.
struct LeftPhase {
  PartFacts facts;
  std::string why;  ///< the reason in one clause
};

/// The phases of a run, which together contain all its launches. In both lists, phases with kernels precede
/// phases without. Among the phases with kernels, and among those without, the longest GPU time comes first.
struct PhaseChoice {
  std::vector<ChosenPhase> measured;
  std::vector<LeftPhase> left;
};

/// Limits of the measurement of a run by replay.
struct PhaseBudget {
  /// For measuring the times of all phases together, in s; energy measurements need additional time.
  double time_limit_s = 30;
  /// Share of the GPU time of all phases with kernels. Once the chosen phases reach this share, only large
  /// phases are added.
  double share = 0.95;
  double large = 0.03;  ///< a phase is large if it has at least this share of the run's GPU time
  size_t samples = 5;   ///< number of measured iterations of a loop whose iterations differ
};

/// Chooses the phases to measure: the phases with the most GPU time, as many as the budget permits. A phase
/// is a loop (with all its runs) or a single pass.
///
/// The rounds of a phase get up to 8 s plus the time of 800 iterations. If the budget is too small, the times
/// of all phases are divided by the same factor, at most 20. Rounds end before their time limit when they are
/// precise enough (ChosenPhase::pooled_precision).
///
/// Of a loop, an iteration with the median GPU time is measured. All operations of this iteration are in the
/// log. The first iterations of a loop are not measured if there are enough later ones. If the loop's
/// iterations differ (PartFacts::iterations_differ()), several iterations at even distances are measured,
/// provided that the other phases leave enough of the time limit. Each of these iterations is a phase of its
/// own, and each represents the same number of iterations.
///
/// find_structure() begins a new pass wherever the host waits for the device. Here, consecutive passes are
/// joined to one phase if kernels take most of the time in each, even if up to 8 other launches are between
/// two such passes. For example, a `generate` that copies every token to the host becomes one phase, and the
/// copies of the model's weights before it do not belong to the phase. If there is no pass in which kernels
/// take most of the time, all passes with kernels are joined in this way. Consecutive passes among the
/// remaining ones are joined to phases, too. Phases without kernels come last; such a phase is measured only
/// if it has at least 5 % of the run's GPU time. A phase of passes has at most 50,000 launches.
PhaseChoice choose_phases(const RunLog& log, const RunSummary& summary, const PhaseBudget& budget);

/// Chooses one iteration of each loop that has kernels, by the rules of choose_phases(), but without a time
/// limit.
std::vector<ChosenPhase> choose_loops(const RunLog& log, const RunSummary& summary);

/// Returns e.g. "launches 1200..1731 (single pass, 93 % of the GPU time)".
std::string part_text(const PartFacts& facts);

}  // namespace kjoule
