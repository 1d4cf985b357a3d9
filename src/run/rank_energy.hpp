#pragma once
#include <optional>
#include <span>
#include <string>

#include "measure/energy/energy_measurement.hpp"
#include "run/measured_run.hpp"
#include "run/rank_meters.hpp"

namespace kjoule {

/// The run of a rank whose times were measured.
struct TimedRank {
  MeasuredRun* run = nullptr;
  /// Time for which the rank waits for other ranks in one iteration, s; nothing if it is not known.
  std::optional<double> waiting_s{};
};

/// Measures the energy of all ranks with the same readings: all ranks replay the same iterations in step, and
/// leave out the same launches at the same time. Writes rows of energy to the run of each rank, as
/// MeasuredRun::energy() does for one GPU; if the meter measures the whole machine, only to the run of the
/// first rank. If the ranks launch different kernels, only the energy of the whole is measured. If the energy
/// cannot be measured, the rows contain the reason. `ranks` have the order of
/// Ranks::ranks(). Throws WriteError if a file cannot be written.
void measure_rank_energy(Subject& subject, RankMeters& meters, const EnergyOptions& options,
                         std::span<const TimedRank> ranks);

/// Returns why launches cannot be left out of the iterations of all ranks at the same time, in one clause;
/// empty if they can.
std::string lack_of_equal_launches(const std::vector<const Recording*>& ranks);

}  // namespace kjoule
