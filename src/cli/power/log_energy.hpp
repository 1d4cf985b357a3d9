#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/power/energy_timing.hpp"
#include "power/integrate.hpp"
#include "report/energy_reports.hpp"

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
  /// Returns a warning about windows in which the work ran only a part of the time, if there are any.
  std::optional<std::string> idling_warning(const LogEnergies& energies) const;
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

/// What is wrong with energies from a log: one line each.
struct LogDoubts {
  std::vector<std::string> warnings;
  /// Values that are missing, or in doubt because the meter was silent, with remedies.
  std::vector<std::string> missing;
};
LogDoubts doubts_of(const LogEnergies& energies);

/// Writes energy_report.json and gpu_energy_report.json, as far as their work was timed, and returns their
/// paths.
std::vector<std::filesystem::path> write_energies(const LogEnergies& energies,
                                                  const std::filesystem::path& folder);

}  // namespace kjoule
