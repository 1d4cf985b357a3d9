#pragma once
#include <vector>

#include "cli/compare/iteration_measurement.hpp"
#include "compare/iteration/rank_result.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Why the energy of ranks is not measured.
constexpr const char* kNoEnergyOfRanks =
    "the program has several ranks, whose energy kjoule does not measure yet";
/// Why the energy of a rank is not measured by itself, if the meter measures all ranks together.
constexpr const char* kEnergyOfAllRanks =
    "the results of the first rank contain the energy of all ranks together, which work on one machine";

/// Measures the ranks of a program that were recorded together.
class RankMeasurement {
 public:
  RankMeasurement(const CompareArguments& arguments, IterationMeasurement& iterations)
      : arguments_(arguments), iterations_(iterations) {}

  /// Measures all ranks but the first, one after another, each in a subfolder of the results folder. The
  /// first rank has already been measured in `first`. Returns the results of all ranks; empty if there is
  /// only one.
  std::vector<RankResult> measure(Subject& subject, MeasuredRun& first);

 private:
  RankResult measure_rank(Subject& subject, size_t rank);
  RankResult result(const Subject& subject, size_t rank, MeasuredRun& run);

  const CompareArguments& arguments_;
  IterationMeasurement& iterations_;
};

}  // namespace kjoule
