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

/// A part of a run, and those of its launches that are measured as one iteration: an iteration of a loop, or
/// the launches of a single pass. Launches have numbers as in --iterations: a graph counts as its nodes. GPU
/// times are busy times by CUPTI.
struct PartFacts {
  bool is_loop = false;
  uint64_t first = 0, end = 0;  ///< the measured launches; `end` is not included
  uint64_t iterations = 1;      ///< of the loop, in all its runs, for which the measured one stands
  /// The iterations of the loop that are measured, if there are several because they differ; otherwise 0.
  uint64_t samples = 0;
  double run_share = 0;                     ///< of the run's GPU time that is the part's
  int64_t measured_ns = 0;                  ///< GPU time of the measured launches
  int64_t part_ns = 0;                      ///< GPU time of the whole part
  std::optional<IterationSpread> spread{};  ///< nothing if fewer than two iterations are known

  uint64_t launches() const { return end - first; }
  /// Returns whether the loop's iterations differ so much that one cannot stand for all.
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

/// A phase that is measured when the program is started again.
struct ChosenPhase {
  PartFacts facts;
  PhasePattern pattern;
  double rounds_s = 0;  ///< time limit of its rounds
  /// Multiple of the requested half-width at which its rounds end: 1 / sqrt(facts.run_share), at most 2, in
  /// steps of 0.25, so that a resumed run requests the same. Then the independent errors of all phases
  /// together are about as small as requested for the run, and each phase can still have a verdict: its sum
  /// adds up within a little more than twice of that.
  double pooled_precision = 1;
};

/// A phase that is not measured by replay, and why, in one clause.
struct LeftPhase {
  PartFacts facts;
  std::string why;
};

/// The phases of a run: those with kernels first, and longest GPU time first. Together they contain all its
/// launches.
struct PhaseChoice {
  std::vector<ChosenPhase> measured;
  std::vector<LeftPhase> left;
};

/// How much of a run is measured by replay.
struct PhaseBudget {
  double time_limit_s = 30;  ///< of all phases together, without energy
  /// Share of the GPU time of the phases with kernels after which only large ones are measured.
  double share = 0.95;
  double large = 0.03;  ///< share of the run's GPU time of a large phase
  size_t samples = 5;   ///< iterations that are measured of a loop whose iterations differ
};

/// Chooses the phases that are measured: those with the most GPU time within the budget. A phase is a loop,
/// in all its runs, or a single pass.
///
/// The rounds of a phase get up to 8 s and the time of 800 iterations; if the budget is too small for that,
/// all phases get the same share of it, but at least a twentieth. Rounds end earlier where they are precise
/// (ChosenPhase::pooled_precision).
///
/// Of a loop, an iteration with the median GPU time is measured. It is complete in the log, and not among the
/// first ones if there are enough. If the loop's iterations differ (PartFacts::iterations_differ()), several
/// at even distances are measured instead, where the time limit allows it after all other phases: each is a
/// phase of its own and stands for as many iterations as the others.
///
/// A single pass is a row of the structure's passes, which are cut where the host waits: those in which
/// kernels take most of the time, also with at most 8 other launches between two of them. So a `generate`
/// that reads every token is one pass, and the copies of a model's weights before it are not a part of it. If
/// there is no such pass, those with any kernel count. The other passes, joined where they follow each other,
/// are phases, too. Phases without kernels are measured after the others, if each has at least 5 % of the
/// run's GPU time. A pass has at most 50,000 launches.
PhaseChoice choose_phases(const RunLog& log, const RunSummary& summary, const PhaseBudget& budget);

/// Chooses an iteration of each loop that has kernels, as choose_phases() without limits.
std::vector<ChosenPhase> choose_loops(const RunLog& log, const RunSummary& summary);

/// Returns e.g. "launches 1200..1731 (single pass, 93 % of the GPU time)".
std::string part_text(const PartFacts& facts);

}  // namespace kjoule
