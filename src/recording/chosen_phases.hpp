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
/// GPU times are times in which at least one operation runs, by CUPTI.
struct PartFacts {
  bool is_loop = false;
  uint64_t first = 0, end = 0;  ///< numbers of the measured launches; `end` is not included
  /// Number of the loop's iterations, in all its runs, that the measured one represents.
  uint64_t iterations = 1;
  /// Number of measured iterations of the loop if several are measured because they differ; otherwise 0.
  uint64_t samples = 0;
  double run_share = 0;                     ///< the part's share of the run's GPU time
  int64_t measured_ns = 0;                  ///< GPU time of the measured launches
  int64_t part_ns = 0;                      ///< GPU time of the whole part
  std::optional<IterationSpread> spread{};  ///< nothing if times of fewer than two iterations are known

  uint64_t launches() const { return end - first; }
  /// Returns whether the loop's iterations differ so much that one cannot represent all.
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
  double rounds_s = 0;  ///< time limit of its rounds, in seconds
  /// Its rounds end at this multiple of the requested half-width: 1 / sqrt(facts.run_share), at most 2. With
  /// it, the independent errors of all phases together reach about the requested half-width for the run, and
  /// the half-width of each phase is at most twice as large, small enough for a verdict. The value is rounded
  /// to steps of 0.25, so that a resumed run requests the same.
  double pooled_precision = 1;
};

/// A phase that is not measured by replay.
struct LeftPhase {
  PartFacts facts;
  std::string why;  ///< the reason in one clause
};

/// The phases of a run, which together contain all its launches. Both lists begin with the phases that have
/// kernels; within these and the rest, the longest GPU time comes first.
struct PhaseChoice {
  std::vector<ChosenPhase> measured;
  std::vector<LeftPhase> left;
};

/// Limits of the measurement of a run by replay.
struct PhaseBudget {
  double time_limit_s = 30;  ///< for all phases together, in seconds, without the measurement of energy
  /// Share of the GPU time of all phases with kernels. Once the chosen phases reach it, only large ones are
  /// added.
  double share = 0.95;
  double large = 0.03;  ///< least share of the run's GPU time of a large phase
  size_t samples = 5;   ///< number of measured iterations of a loop whose iterations differ
};

/// Chooses the phases to measure: those with the most GPU time within the budget. A phase is a loop (with all
/// its runs) or a single pass.
///
/// The rounds of a phase get up to 8 s plus the time of 800 iterations. If the budget is too small for that,
/// these times are reduced by the same factor for all phases, to a twentieth at least. Rounds end earlier
/// when they are precise enough (ChosenPhase::pooled_precision).
///
/// Of a loop, an iteration with the median GPU time is measured. It is complete in the log, and it is not
/// among the first iterations if there are enough later ones. If the loop's iterations differ
/// (PartFacts::iterations_differ()), several iterations at even distances are measured instead, provided that
/// time is left when all other phases have theirs. Each of them is a phase of its own, and all represent
/// equally many iterations.
///
/// The structure of a run is cut into a new pass wherever the host waits. A phase joins consecutive passes in
/// which kernels take most of the time, even if up to 8 other launches are between two of them. So a
/// `generate` that reads every token is one phase, without the copies of the model's weights before it. If
/// kernels take most of the time in no pass, all passes with kernels are joined in this way. The remaining
/// passes form phases, too: consecutive ones are joined. Phases without kernels come last; each is measured
/// only if it has at least 5 % of the run's GPU time. A phase of passes has at most 50,000 launches.
PhaseChoice choose_phases(const RunLog& log, const RunSummary& summary, const PhaseBudget& budget);

/// Chooses an iteration of each loop that has kernels, like choose_phases() but without limits.
std::vector<ChosenPhase> choose_loops(const RunLog& log, const RunSummary& summary);

/// Returns e.g. "launches 1200..1731 (single pass, 93 % of the GPU time)".
std::string part_text(const PartFacts& facts);

}  // namespace kjoule
