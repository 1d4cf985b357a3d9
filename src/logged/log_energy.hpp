#pragma once
#include <optional>
#include <string>
#include <vector>

#include "logged/energy_timing.hpp"
#include "logged/log_energies.hpp"
#include "power/integrate.hpp"

namespace kjoule {

/// Computes the energies of the blocks of timing files from a power log.
class LogIntegration {
 public:
  /// `timings` and `curves` must outlive this object.
  LogIntegration(const Timings& timings, const std::vector<PowerCurve>& curves, EnergySource source);
  /// Returns the energies. Throws Error if none of the timed work lies within the time of the log, which
  /// means that a clock, a time zone or a file is wrong.
  LogEnergies energies() const;

 private:
  /// Returns the energy of a block. The result has no energy if the block's timestamps contradict its runs,
  /// or if the timestamps may mean several windows in the log.
  TimedEnergy energy(const TimedBlock& block) const;
  /// Returns the energy of a group. `in_context_s` is the time in context of its launches in one iteration;
  /// nullopt if it is not known.
  TimedEnergy energy_of(const TimedGroup& group, std::optional<double> in_context_s) const;
  /// Divides the energy of each group among its kernels.
  void share_groups(LogEnergies& energies) const;
  /// Returns the work that ran in less than kBusyShare of its window.
  std::vector<IdlingWork> idling_work(const LogEnergies& energies) const;
  PowerWindow in_log_time(PowerWindow window) const;
  void refuse_other_times() const;
  std::string shift_remedy(PowerWindow timed, PowerWindow log) const;

  const Timings& timings_;
  const std::vector<PowerCurve>& curves_;
  EnergySource source_;
};

/// If the timings have a load pattern, finds the clock offset of the power log by this pattern in the sum of
/// all series, and stores the offset in `source`. Adds a warning to `source` if the pattern is not found.
void find_clock_offset(const Timings& timings, const std::vector<const PowerSeries*>& series,
                       EnergySource& source);
/// Returns a power curve for each series. The error of the clock offset is included in the errors of the
/// curves at the edges of windows.
std::vector<PowerCurve> curves_of(const std::vector<const PowerSeries*>& series, const EnergySource& source);

/// Sets the block of the whole as the timed whole, if the log has no reading of the iterations that were
/// timed, or if they are too short for the meter. (A GPU's own meters are read only after these iterations.)
void use_readable_whole(const std::vector<PowerCurve>& curves, const EnergySource& source, Timings& timings);

/// Adds the names of the series, and the smallest step between their readings, to `source`.
void add_curves(const std::vector<PowerCurve>& curves, EnergySource& source);

}  // namespace kjoule
