#pragma once
#include <optional>
#include <string>
#include <vector>

#include "logged/energy_timing.hpp"
#include "logged/log_energies.hpp"
#include "power/integrate.hpp"

namespace kjoule {

/// The energies of the blocks of timing files in a power log.
class LogIntegration {
 public:
  /// `timings` and `curves` must outlive this object.
  LogIntegration(const Timings& timings, const std::vector<PowerCurve>& curves, EnergySource source);
  /// Throws Error if none of the timed work lies within the log, because then a clock, a time zone or a file
  /// is wrong.
  LogEnergies energies() const;

 private:
  /// Returns the energy of a block. It is missing if the block's timestamps contradict its runs, or may mean
  /// several windows of the log.
  TimedEnergy energy(const TimedBlock& block) const;
  /// Returns the energy of a group, whose launches take `in_context_s` in one iteration, if that is known.
  TimedEnergy energy_of(const TimedGroup& group, std::optional<double> in_context_s) const;
  /// Divides the energy of each group among its kernels.
  void share_groups(LogEnergies& energies) const;
  /// Returns the work that ran only in a part of its window.
  std::vector<IdlingWork> idling_work(const LogEnergies& energies) const;
  PowerWindow in_log_time(PowerWindow window) const;
  void refuse_other_times() const;
  std::string shift_remedy(PowerWindow timed, PowerWindow log) const;

  const Timings& timings_;
  const std::vector<PowerCurve>& curves_;
  EnergySource source_;
};

/// Finds the clock offset of the series, whose power is added up, from the load pattern of the timings, if
/// they have one. Sets it in `source`, and adds a warning if the pattern is not found.
void find_clock_offset(const Timings& timings, const std::vector<const PowerSeries*>& series,
                       EnergySource& source);
/// Returns the curves of the series. Their errors at the edges of windows contain that of the clock offset.
std::vector<PowerCurve> curves_of(const std::vector<const PowerSeries*>& series, const EnergySource& source);

/// Adds the names of the series and the smallest step of their readings.
void add_curves(const std::vector<PowerCurve>& curves, EnergySource& source);

}  // namespace kjoule
