#pragma once
#include <optional>
#include <string>
#include <vector>

#include "power/integrate.hpp"
#include "power/logs/log_series.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// The power log from which energies were computed, and how it was used.
struct EnergySource {
  std::string path, format;
  std::vector<std::string> series;
  LogFacts meter;
  double averaging_s = 0;  ///< averaging time of the meter, which enters the intervals
  double offset_s = 0;     ///< added to the times of the log
  /// The clock offset that a load pattern shows; it is then `offset_s`, too, and its half-width enters the
  /// intervals.
  std::optional<Interval> found_offset_s;
  std::optional<double> power_step_w;  ///< smallest step of the readings
  std::optional<Interval> idle_w;      ///< idle power, which is subtracted for "above idle" values
  std::string idle_from;               ///< "given", or the window of the log in which idle power was measured
  std::vector<std::string> warnings;
};

/// The energy of work whose begin and end a timing file states.
struct TimedEnergy {
  WindowEnergy energy;
  std::string start_timestamp, end_timestamp;  ///< as in the timing file
  std::optional<int64_t> runs;                 ///< number of runs of the work within the window
  /// Returns the energy of one run; nullopt if it was not measured.
  std::optional<Interval> each_j() const;
};

/// The energy of one kernel of isolated_kernels_timing.json.
struct KernelEnergy {
  std::string name, signature;
  Tier tier = Tier::unknown;
  int64_t count = 0;                ///< launches per iteration
  std::optional<double> single_us;  ///< duration of one launch
  std::string error{};              ///< why it was not repeated; empty if it was
  /// Name of the group whose energy was measured together; empty if the kernel has a block of its own.
  std::string group;
  /// Time of all launches of an iteration, in context; absent if it was not measured.
  std::optional<Interval> in_context_us;
  /// Energy of `runs` launches. Of a group's kernel, it is the share of the group's energy that its launches
  /// have of the group's time.
  TimedEnergy timed;
  /// Returns the time of all launches of an iteration in isolation, us; 0 if it is not known.
  double alone_us() const { return single_us.value_or(0) * static_cast<double>(count); }
  /// Returns the energy of one launch; nullopt if it was not measured.
  std::optional<Interval> each_j() const;
  /// Returns the share of the window in which the kernel's launches ran; nullopt if it is not known, or if
  /// there is no energy. It is at most 1: durations are estimates and timestamps are truncated, and
  /// timestamps that contradict the runs have no energy.
  std::optional<double> busy_share() const;
  /// Returns the energy of all launches of an iteration, in context: the power of the block times their time
  /// in context. nullopt if one of them was not measured.
  std::optional<Interval> in_context_j() const;
};

/// Times of the iteration in context, from the timing file of kjoule compare.
struct ContextTimes {
  Interval sum_us, whole_us;
};

/// The whole, repeated back to back like the kernels, and its time.
struct WholeBlock {
  TimedEnergy timed;
  double each_us = 0;  ///< time of one run in the block
  /// Returns the share of the block in which the whole ran; in the rest, memory was restored.
  double busy_share() const;
};

/// The sum in context against the whole: powers from the log, times from kjoule compare.
struct ContextComparison {
  Interval sum_j, whole_j;
  double error() const { return sum_j.value / whole_j.value - 1; }
  /// Returns whether the 95 % interval of the difference contains 0.
  bool agrees() const;
};

/// Work that ran in less than this share of its window is reported, because its energy includes idle time.
constexpr double kBusyShare = 0.9;

/// Work that ran only in a part of its window: its energy contains that of pauses between its runs.
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

/// The sum of the measured kernels of an iteration.
struct KernelSum {
  size_t kernels = 0, measured = 0, flagged = 0;
  std::optional<Interval> joules;       ///< sum over the measured kernels of energy x count
  std::optional<double> covered_share;  ///< the measured kernels' share of the isolated time of all kernels
};
/// Returns the sum over the kernels of one tier, or over all kernels. A meter errs alike in every window, so
/// the half-width of one launch is multiplied by its count. The half-widths of different blocks are added in
/// quadrature, those of the kernels of one group, which share a block, are added.
KernelSum sum_of(const std::vector<KernelEnergy>& kernels, std::optional<Tier> tier = {});

/// Returns the comparison in context; nullopt if a kernel or the whole lacks power or time.
std::optional<ContextComparison> compare_in_context(const LogEnergies& energies);

}  // namespace kjoule
