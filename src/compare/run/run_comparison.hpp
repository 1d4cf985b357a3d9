#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/iteration/verdict.hpp"
#include "compare/run/run_estimate.hpp"
#include "recording/chosen_phases.hpp"

namespace kjoule {

struct Comparison;

/// The energies of whole and sum of one iteration of a phase, J.
struct PhaseEnergy {
  Interval whole_j, sum_j;
};

/// A phase of a run of which one iteration was measured by replay. Times are those of one iteration, in s.
struct MeasuredPhase {
  uint32_t number = 0;
  PartFacts facts;
  std::string folder;  ///< folder of its results
  Interval whole_s, sum_s;
  std::optional<PhaseEnergy> energy{};                ///< not available if it was not measured
  double requested_within = 0, asked_half_width = 0;  ///< as in JudgedSum
  double instrument_s = 0;                            ///< JudgedSum::instrument_s
  std::string lack;  ///< lack_of(): why the sum is inconclusive independently of its half-width

  MeasuredPhase() = default;
  MeasuredPhase(uint32_t number, std::string folder, const Comparison& comparison);
};

/// The outcome of the further starts of a program, in which its phases were measured.
struct FurtherStarts {
  int count = 0;  ///< number of further starts
  /// GPU time, in the first start, of the chosen phases that occurred again in further starts, as a share of
  /// the GPU time of all chosen phases. Nothing if no phase was searched for.
  std::optional<double> matched_share{};
  /// Exit code of the start in which the program ran to its end; nothing if kjoule ended all starts early.
  std::optional<int> exit_code;
  /// For each start that kjoule ended early, the reason in one clause whose subject is the program.
  std::vector<std::string> ended;
};

/// The comparison of sum and whole for all iterations of the measured phases of a run.
struct RunComparison {
  std::vector<MeasuredPhase> measured;  ///< in the order of their numbers
  std::vector<LeftPhase> left;          ///< phases of which only the profiler's times are known
  /// The further starts; nothing if windows were measured in the program's only start.
  std::optional<FurtherStarts> starts;
  /// Time of the measured kernels as a share of the time of all kernels, by the profiler. Kernels are
  /// distinguished by name, grid and block. In a run without kernels, copies and memsets count as kernels.
  double replayed_share = 0;
  Interval whole_s, sum_s;
  Judgement judgement;
  std::optional<RunEstimate> estimate{};  ///< the time of all observed launches of the run
  double requested_within = 0;            ///< as in JudgedSum, for phases and windows
  bool has_kernels = true;                ///< whether the run launched kernels

  /// Share of the GPU time that must be replayed for a complete result.
  static constexpr double kCompleteShare = 0.95;
  bool is_complete() const { return replayed_share >= kCompleteShare; }
};

/// Returns the comparison of a run. The run's whole is the whole of each phase times the number of iterations
/// of the phase, added up over the phases; likewise for the sum. The half-widths are also added up, because
/// one instrument measured all windows, so that their errors need not be independent.
RunComparison compare_run(std::vector<MeasuredPhase> measured, std::vector<LeftPhase> left,
                          std::optional<FurtherStarts> starts, double replayed_share);

}  // namespace kjoule
