#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compare/baseline.hpp"
#include "compare/launch_groups.hpp"

namespace kjoule {

/// What an interval allows to say of a change.
enum class ChangeVerdict { not_changed, changed, inconclusive };
/// Returns "not changed", "changed" or "inconclusive".
const char* to_string(ChangeVerdict verdict);

/// A value before and after a change. Both intervals and `start_half_width` have the unit of the value.
struct ValueChange {
  Interval before, after;
  /// Half-width by which the value differs between two starts of an unchanged program, which the intervals
  /// of single runs do not contain.
  double start_half_width = 0;

  /// Returns after - before. Its half-width is the sum of both half-widths and start_half_width.
  Interval difference() const;
  /// Returns the difference as a share of the value before.
  Interval share() const;
  /// Returns whether the value changed: the difference's interval does not contain 0.
  bool is_change() const;
  /// Returns whether the value rose by more than `share`: changed if the whole interval is above it,
  /// not_changed if the whole interval is below it, inconclusive otherwise.
  ChangeVerdict rose_above(double share) const;
};

/// How the launches of a kernel, or of several, were replaced.
enum class KernelChangeKind {
  same,        ///< the same kernel
  other_form,  ///< a kernel of the same name, but with another grid, shape or arguments
  added,       ///< launches that were not there before
  removed,     ///< launches that are not there any more
  fused,       ///< several launches became fewer ones
  split,       ///< launches became more of them
  replaced     ///< launches became as many others
};
/// Returns the kind as reports show it, for example "other form".
const char* to_string(KernelChangeKind kind);

/// Launches of one kernel.
struct NamedLaunches {
  std::string name;
  uint64_t count = 0;
};

/// The launches of kernels that correspond to each other, in both iterations. Times and energies are of one
/// iteration, and 0 where there are no launches.
struct KernelChange {
  KernelChangeKind kind = KernelChangeKind::same;
  std::vector<NamedLaunches> before, after;
  uint64_t occurrences = 1;             ///< places of the iteration, of launches with another kernel
  std::optional<ValueChange> time_s;    ///< nothing if a kernel was not measured
  std::optional<ValueChange> energy_j;  ///< nothing if a kernel's energy was not measured

  /// Returns whether launches, time or energy changed.
  bool is_change() const;
};

/// A layer or range in both runs.
struct PartChange {
  std::string name;
  uint64_t count_before = 0, count_after = 0;  ///< 0 where there is no such part
  std::optional<ValueChange> time_s, energy_j;
};

/// The difference between two measured iterations.
struct IterationDifference {
  std::string phase_before, phase_after;  ///< empty unless phases of a run are compared
  std::optional<ValueChange> program_s;   ///< the program's own iteration (glossary)
  ValueChange whole_s, sum_s;
  std::optional<ValueChange> whole_j, whole_w;  ///< energy and mean power of the whole
  std::vector<KernelChange> kernels;            ///< largest change of time first
  std::vector<PartChange> ranges;
};

/// The shares by which the whole may rise; no value if its rise does not matter.
struct ChangeLimits {
  std::optional<double> time, energy;

  bool are_given() const { return time || energy; }
};

/// The difference between two runs.
struct Difference {
  Baseline before, after;
  /// Relative half-width by which a value differs between two starts of an unchanged program, and where this
  /// number comes from; nothing if it is not known for this device.
  std::optional<double> start_share;
  std::string start_share_source;
  std::vector<IterationDifference> iterations;
  std::vector<std::string> only_before, only_after;  ///< phases without counterpart
  std::optional<ValueChange> run_s;                  ///< all iterations of the phases that are in both runs
  std::vector<PartChange> layers;
  std::vector<std::string> findings;  ///< what puts the comparison in doubt, a sentence each

  /// Returns whether the whole of an iteration rose by more than its limits: changed if a limit was passed,
  /// inconclusive if one may have been passed, or if a limited value or a phase is missing in one of the
  /// runs.
  ChangeVerdict rose_above(const ChangeLimits& limits) const;
};

/// Compares two runs.
Difference compare_baselines(const Baseline& before, const Baseline& after);

}  // namespace kjoule
