#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "power/integrate.hpp"
#include "power/logs/log_series.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// What energies were taken from.
struct EnergySource {
  std::string path, format;
  std::vector<std::string> series;
  LogFacts meter;
  double averaging_s = 0;              ///< what intervals are made with
  double offset_s = 0;                 ///< added to the log's times
  std::optional<double> power_step_w;  ///< in which readings come
  std::optional<Interval> idle_w;      ///< subtracted for what is "above idle"
  std::string idle_from;               ///< "given", or the window of the log
  std::vector<std::string> warnings;
};

/// The energy of work that a timing file brackets.
struct TimedEnergy {
  WindowEnergy energy;
  std::string start_timestamp, end_timestamp;  ///< as the timing file has them
  std::optional<int64_t> runs;                 ///< of the work, inside the window
};

/// One kernel of isolated_kernels_timing.json.
struct KernelEnergy {
  std::string name, signature;
  Tier tier = Tier::unknown;
  int64_t count = 0;                ///< an iteration
  std::optional<double> single_us;  ///< one launch
  TimedEnergy timed;                ///< `runs` launches
  /// Of one launch; nothing when it was not measured.
  std::optional<Interval> each_j() const;
  /// The share of the window in which its launches ran.
  std::optional<double> busy_share() const;
};

/// All that `kjoule energy` found.
struct EnergyFindings {
  EnergySource source;
  std::optional<TimedEnergy> full;
  std::string full_timing;            ///< path
  std::vector<KernelEnergy> kernels;  ///< as in their timing file
  std::string kernels_timing;         ///< path; empty when there was none
  std::vector<std::string> warnings;  ///< of the timings
};

/// Measured kernels of an iteration, added up.
struct KernelSum {
  size_t kernels = 0, measured = 0, flagged = 0;
  std::optional<Interval> joules;       ///< of the measured ones, each times its count
  std::optional<double> covered_share;  ///< of the isolated time that the measured kernels have
};
/// Of one tier, or of all. Meters err alike in every window, so half-widths of one launch are multiplied by
/// its count, and of different kernels added in squares.
KernelSum sum_of(const std::vector<KernelEnergy>& kernels, std::optional<Tier> tier = {});

/// energy_report.json
nlohmann::ordered_json energy_report(const EnergyFindings& findings);
/// gpu_energy_report.json
nlohmann::ordered_json gpu_energy_report(const EnergyFindings& findings);
/// A line each for the whole and for every kernel: what, tier, count, seconds, samples, joules; empty where
/// nothing was measured.
std::string energy_csv(const EnergyFindings& findings);
/// A table for a terminal, with the `top` kernels of largest energy.
std::string energy_text(const EnergyFindings& findings, size_t top);

}  // namespace kjoule
