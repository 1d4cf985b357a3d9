#pragma once
#include <deque>
#include <vector>

#include "cli/compare/iteration_measurement.hpp"
#include "compare/iteration/rank_result.hpp"
#include "run/rank_meters.hpp"
#include "run/subject.hpp"
#include "run/watched_ranks.hpp"

namespace kjoule {

/// Why the energy of a rank is not measured by itself, if the meter measures all ranks together.
constexpr const char* kEnergyOfAllRanks =
    "the results of the first rank contain the energy of all ranks together, which work on one machine";

/// Measures the ranks of a program that were recorded together.
class RankMeasurement {
 public:
  RankMeasurement(const CompareArguments& arguments, IterationMeasurement& iterations)
      : arguments_(arguments), iterations_(iterations) {}

  /// Measures the times of all ranks but the first, one after another, each in a subfolder of the results
  /// folder, and then, if `energy` is not null, the energy of all ranks together. The times of the first rank
  /// have already been measured in `first`. Returns the results of all ranks; empty if there is only one.
  std::vector<RankResult> measure(Subject& subject, MeasuredRun& first, RankMeters& meters,
                                  const EnergyOptions* energy);

 private:
  /// Returns what the ranks did in their own iterations before the program was paused.
  WatchedRanks watched(const Subject& subject) const;
  void measure_times(Subject& subject, size_t rank, MeasuredRun& run);
  void measure_energy(Subject& subject, const std::vector<MeasuredRun*>& runs, RankMeters& meters,
                      const EnergyOptions& options);
  std::vector<RankResult> results(const Subject& subject, const std::vector<MeasuredRun*>& runs);
  RankResult result(const Subject& subject, size_t rank, MeasuredRun& run);

  const CompareArguments& arguments_;
  IterationMeasurement& iterations_;
};

}  // namespace kjoule
