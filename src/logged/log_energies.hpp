#pragma once
#include <optional>
#include <string>
#include <vector>

#include "logged/logged_meter.hpp"
#include "power/integrate.hpp"
#include "power/logs/log_series.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// The power log from which energies are computed, and the facts and corrections with which it is used.
struct EnergySource {
  std::string path, format;
  std::vector<std::string> series;
  LogFacts meter;
  MeterLag lag;         ///< of the meter's readings; it contributes to the intervals
  double offset_s = 0;  ///< clock offset that is added to the times of the log
  /// Clock offset that was found by a load pattern; nothing if none was found. If it is set, `offset_s` is
  /// equal to its value, and its half-width contributes to the intervals.
  std::optional<Interval> found_offset_s;
  std::optional<double> power_step_w;  ///< smallest step between readings
  std::optional<Interval> idle_w;      ///< idle power, which is subtracted for "above idle" values
  std::string idle_from;               ///< "given", or the window of the log in which idle power was measured
  std::vector<std::string> warnings;
};

/// Sets the facts of the meter that wrote the log.
void use_meter(const LoggedMeter& meter, EnergySource& source);

/// The energy of work whose begin and end are in a timing file.
struct TimedEnergy {
  WindowEnergy energy;
  std::string start_timestamp, end_timestamp;  ///< begin and end, as in the timing file
  std::optional<int64_t> runs;                 ///< number of runs of the work between begin and end
  bool contradicts_runs = false;  ///< whether begin and end are closer together than the runs took
  /// Returns the energy of one run; nullopt if it was not measured.
  std::optional<Interval> each_j() const;
};

/// The energy of one kernel of isolated_kernels_timing.json.
struct KernelEnergy {
  std::string name, signature;
  Tier tier = Tier::unknown;
  int64_t count = 0;                ///< launches per iteration
  std::optional<double> single_us;  ///< duration of one launch
  std::string error{};              ///< why the kernel was not repeated; empty if it was
  /// Name of the kernel's group, whose kernels' energy was measured together; empty if the kernel has its own
  /// block.
  std::string group;
  /// Time in context of all the kernel's launches in one iteration; nothing if it was not measured.
  std::optional<Interval> in_context_us;
  /// Energy of `timed.runs` launches. For a kernel of a group, it is a part of the group's energy, in
  /// proportion to the time of its launches.
  TimedEnergy timed;
  /// Returns the time in isolation of all the kernel's launches in one iteration, us; 0 if it is not known.
  double alone_us() const { return single_us.value_or(0) * static_cast<double>(count); }
  /// Returns the energy of one launch; nullopt if it was not measured.
  std::optional<Interval> each_j() const;
  /// Returns the share of the window in which the kernel's launches ran; nullopt if the share is not known,
  /// or if there is no energy. The result is at most 1, although durations are estimates and timestamps are
  /// truncated. (If timestamps clearly contradict the runs, there is no energy.)
  std::optional<double> busy_share() const;
  /// Returns the energy in context of all the kernel's launches in one iteration, J: the power of the block
  /// times the time in context; nullopt if power or time was not measured.
  std::optional<Interval> in_context_j() const;
};

/// Times of sum and whole, from the timing file of kjoule compare.
struct ContextTimes {
  Interval sum_us, whole_us;
};

/// Energy and time of the whole, repeated back to back like the kernels.
struct WholeBlock {
  TimedEnergy timed;
  double each_us = 0;  ///< time of one run in the block
  /// Returns the share of the block's time in which the whole ran. In the rest of the time, memory was
  /// restored.
  double busy_share() const;
};

/// The comparison of the energies of sum and whole in context. Powers come from the log, times from kjoule
/// compare.
struct ContextComparison {
  Interval sum_j, whole_j;
  double error() const { return sum_j.value / whole_j.value - 1; }
  /// Returns whether the 95 % interval of the difference contains 0.
  bool agrees() const;
};

/// Work that ran in less than this share of its window is reported, because its energy includes the energy of
/// idle time.
constexpr double kBusyShare = 0.9;

/// Work that ran in less than kBusyShare of its window, so that its energy includes that of pauses between
/// its runs.
struct IdlingWork {
  std::string what;      ///< "the whole", "the group of NAME", or empty for a kernel
  std::string kernel;    ///< name of the kernel
  double ran_share = 0;  ///< share of the window in which it ran
};

/// The energies that `kjoule energy` finds in a power log for the windows of a timing file.
struct LogEnergies {
  EnergySource source;
  std::optional<TimedEnergy> full;
  std::string full_timing;            ///< path of the timing file of the whole
  std::vector<KernelEnergy> kernels;  ///< in the order of their timing file
  std::optional<WholeBlock> whole_block;
  std::optional<ContextTimes> in_context;
  std::string kernels_timing;  ///< path of the kernels' timing file; empty if there is none
  std::vector<IdlingWork> idling;
};

/// The sum of the energies of the measured kernels of an iteration.
struct KernelSum {
  size_t kernels = 0, measured = 0, flagged = 0;  ///< numbers of all, measured, and doubtful kernels
  std::optional<Interval> joules;                 ///< sum over the measured kernels of energy x count
  std::optional<double> covered_share;  ///< the measured kernels' share of the isolated time of all kernels
};
/// Returns the sum over the kernels of one tier, or over all kernels. The half-width of one launch is
/// multiplied by the kernel's count, because all launches of a kernel have the same error. Half-widths of
/// kernels in the same block (a group) are added; half-widths of different blocks are added in quadrature.
KernelSum sum_of(const std::vector<KernelEnergy>& kernels, std::optional<Tier> tier = {});

/// Returns the comparison of sum and whole in context; nullopt if a kernel or the whole has no power or time.
std::optional<ContextComparison> compare_in_context(const LogEnergies& energies);

}  // namespace kjoule
