#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/run_estimate.hpp"
#include "compare/verdict.hpp"
#include "recording/chosen_phases.hpp"

namespace kjoule {

struct Comparison;

/// The energy of one iteration of a phase, J.
struct PhaseEnergy {
  Interval whole_j, sum_j;
};

/// A phase of a run of which one iteration was measured by replay. Times in s, of one iteration.
struct MeasuredPhase {
  uint32_t number = 0;
  PartFacts facts;
  std::string folder;  ///< of its results
  Interval whole_s, sum_s;
  std::optional<PhaseEnergy> energy{};                ///< not available if it was not measured
  double requested_within = 0, asked_half_width = 0;  ///< see Comparison
  double instrument_s = 0;                            ///< JudgedSum::instrument_s
  std::string lack;  ///< why its sum is inconclusive for any half-width; empty if it is not

  MeasuredPhase() = default;
  MeasuredPhase(uint32_t number, std::string folder, const Comparison& comparison);
};

/// How the further starts of a program went, in which its phases were measured.
struct FurtherStarts {
  int count = 0;
  /// The share of the chosen phases' GPU time (in the first start) that is of phases which came again;
  /// nothing if no phase was searched for.
  std::optional<double> matched_share{};
  /// Exit code of the one that went on to the end of the program; nothing if none did.
  std::optional<int> exit_code;
  std::vector<std::string>
      ended;  ///< why others were ended before their end, in one clause about the program
};

/// The comparison of sum and whole of a run: of all iterations of its measured phases.
struct RunComparison {
  std::vector<MeasuredPhase> measured;  ///< in the order of GPU time
  std::vector<LeftPhase> left;          ///< phases of which only the profiler's times are known
  /// Nothing if windows were measured in place, in the program's only start.
  std::optional<FurtherStarts> starts;
  /// The measured kernels' share of the time of all kernels, by the profiler. Kernels are told apart by name,
  /// grid and block. Of a run without kernels, the share of the time of copies and memsets.
  double replayed_share = 0;
  Interval whole_s, sum_s;
  Judgement judgement;
  std::optional<RunEstimate> estimate{};  ///< of all launches that were observed
  double requested_within = 0;            ///< of the phases and windows (Comparison::requested_within)
  bool has_kernels = true;                ///< whether the run launched kernels

  /// Share of the GPU time that must be replayed for a complete result.
  static constexpr double kCompleteShare = 0.95;
  bool is_complete() const { return replayed_share >= kCompleteShare; }
};

/// Returns the comparison of a run. Whole and sum are those of an iteration, multiplied with the number of
/// iterations and added up. The half-widths are added up, too, because errors of windows that one instrument
/// measured need not be independent.
RunComparison compare_run(std::vector<MeasuredPhase> measured, std::vector<LeftPhase> left,
                          std::optional<FurtherStarts> starts, double replayed_share);

}  // namespace kjoule
