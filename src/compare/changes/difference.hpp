#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compare/changes/baseline.hpp"
#include "compare/changes/launch_groups.hpp"

namespace kjoule {

/// Whether a value changed between two runs, as far as its interval shows.
enum class ChangeVerdict { not_changed, changed, inconclusive };
/// Returns "not changed", "changed" or "inconclusive".
const char* to_string(ChangeVerdict verdict);

/// A value in the earlier run (`before`) and in the later run (`after`). All members have the unit of the
/// value.
struct ValueChange {
  Interval before, after;
  /// Half-width of the difference between two starts of an unchanged program, which the intervals `before`
  /// and `after` do not include.
  double start_half_width = 0;

  /// Returns after - before. Its half-width is the sum of both half-widths and start_half_width.
  Interval difference() const;
  /// Returns the difference as a share of `before`.
  Interval share() const;
  /// Returns whether the value changed: the interval of the difference excludes 0.
  bool is_change() const;
  /// Returns whether the value rose by more than `share`. Returns changed if the interval of share() is above
  /// `share`, not_changed if the interval is below `share`, and inconclusive if the interval contains
  /// `share`.
  ChangeVerdict rose_above(double share) const;
};

/// How the launches of one or several kernels of the earlier run changed.
enum class KernelChangeKind {
  same,        ///< the later run has the same kernel
  other_form,  ///< the later run has a kernel of the same name, but with another grid, shape or arguments
  added,       ///< only the later run has the launches
  removed,     ///< only the earlier run has the launches
  fused,       ///< in the later run, fewer launches take the place of the launches
  split,       ///< in the later run, more launches take the place of the launches
  replaced     ///< in the later run, equally many launches of other kernels take the place of the launches
};
/// Returns the name of the kind in reports, for example "other form".
const char* to_string(KernelChangeKind kind);

/// Launches of one kernel.
struct NamedLaunches {
  std::string name;
  uint64_t count = 0;
};

/// Launches of both iterations that correspond to each other. Times and energies are those of one iteration;
/// they are 0 for the iteration that has none of these launches.
struct KernelChange {
  KernelChangeKind kind = KernelChangeKind::same;
  std::vector<NamedLaunches> before, after;
  uint64_t occurrences = 1;             ///< number of places in the iteration at which this change occurs
  std::optional<ValueChange> time_s;    ///< nothing if a kernel was not measured
  std::optional<ValueChange> energy_j;  ///< nothing if a kernel's energy was not measured

  /// Returns whether launches, time or energy changed.
  bool is_change() const;
};

/// A layer or range (NVTX), compared between both runs.
struct PartChange {
  std::string name;
  uint64_t count_before = 0, count_after = 0;  ///< BaselinePart::count; 0 for a run without this part
  std::optional<ValueChange> time_s, energy_j;
};

/// The difference between two measured iterations.
struct IterationDifference {
  /// Names of the compared phases; empty if single iterations are compared.
  std::string phase_before, phase_after;
  std::optional<ValueChange> program_s;  ///< the program's own iteration (glossary)
  ValueChange whole_s, sum_s;
  std::optional<ValueChange> whole_j, whole_w;  ///< energy and mean power of the whole
  std::vector<KernelChange> kernels;            ///< in descending order of the change of time
  std::vector<PartChange> ranges;
};

/// The largest shares by which time and energy of the whole may rise from the earlier to the later run;
/// nothing if there is no limit.
struct ChangeLimits {
  std::optional<double> time, energy;

  bool are_given() const { return time || energy; }
};

/// The difference between two runs.
struct Difference {
  Baseline before, after;
  /// Half-width of the difference between two starts of an unchanged program, as a share of the value;
  /// nothing if it is not known for this device.
  std::optional<double> start_share;
  std::string start_share_source;  ///< where `start_share` comes from, or why it is not known
  std::vector<IterationDifference> iterations;
  std::vector<std::string> only_before, only_after;  ///< phases that only one of the two runs has
  std::optional<ValueChange> run_s;  ///< time of all iterations of those phases that are in both runs
  std::vector<PartChange> layers;
  std::vector<std::string> findings;  ///< reasons to doubt the comparison, one sentence each

  /// Returns whether time or energy of the whole of at least one iteration rose by more than its limit.
  /// Returns changed if ValueChange::rose_above() shows this for a value. Otherwise returns inconclusive if a
  /// value is inconclusive, or if one run lacks a limited value or a phase that the other run has. Otherwise
  /// returns not_changed.
  ChangeVerdict rose_above(const ChangeLimits& limits) const;
};

/// Compares two runs.
Difference compare_baselines(const Baseline& before, const Baseline& after);

}  // namespace kjoule
