#pragma once
#include <optional>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/time/half_of_places.hpp"
#include "measure/time/round.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// Smallest number of rounds from which an estimate is made.
constexpr size_t kFewestRounds = 2;

/// The times of the whole, the sum, every launch and every kernel, estimated from rounds. All times are per
/// iteration; intervals are 95 % confidence intervals.
struct SumEstimate {
  int rounds = 0;
  Interval whole_s;
  Interval sum_s;                      ///< half-width: the half-width of sum / whole, times whole_s.value
  double instrument_half_width_s = 0;  ///< part of sum_s.half_width that more rounds do not reduce
  std::vector<double> launch_s;        ///< by launch; 0 for launches that are excluded or not measured
  std::vector<Interval> kernel_s;      ///< by kernel, all places of the kernel together
  std::optional<HalfOfPlaces> half_of_places;  ///< not available if no kernel has two places
  /// The program's own iteration, timed alternately with the whole. Only available on a device whose clock
  /// can be read between launches, if the program can be run again.
  std::optional<Interval> own_iteration_s;
  /// Mean clock of the device's processors while the whole was timed, and while the launches were timed; not
  /// available if the device does not report it.
  std::optional<double> whole_clock_hz, sum_clock_hz;
  /// Returns the half-width of the sum as a share of the whole.
  double relative_half_width() const { return sum_s.half_width / whole_s.value; }
};

/// Returns the estimate from the rounds.
///
/// The time of a group of launches that cannot be timed separately (TimedIteration::may_start_early) is
/// divided among them in proportion to `launch_shares`, or equally if `launch_shares` is empty. Throws Error
/// for fewer than kFewestRounds rounds, or if the rounds come from two different instruments.
SumEstimate estimate(const KernelTable& table, const TimedIteration& iteration,
                     const std::vector<Round>& rounds, const std::vector<double>& launch_shares = {});

/// Returns a table in which every launch is a kernel of its own.
KernelTable one_kernel_each(size_t launches);

}  // namespace kjoule
