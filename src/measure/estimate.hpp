#pragma once
#include <optional>
#include <vector>

#include "base/interval.hpp"
#include "measure/half_of_places.hpp"
#include "measure/round.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// Rounds without which there is no estimate.
constexpr size_t kFewestRounds = 2;

/// The rounds' estimate of the whole, of every launch and kernel, and of the sum. Intervals are 95 %.
struct SumEstimate {
  int rounds = 0;
  Interval whole_s;
  Interval sum_s;                              ///< its interval is that of sum / whole, times whole_s.value
  std::vector<double> launch_s;                ///< by launch; 0 for excluded ones
  std::vector<Interval> kernel_s;              ///< by kernel, all its places together
  std::optional<HalfOfPlaces> half_of_places;  ///< nothing where no kernel has two places
  std::optional<Interval> played_s;  ///< the recorded launches in one segment, where that is not the whole
  /// Mean clock of the device's processors while the whole and while the launches were timed, where it is
  /// known.
  std::optional<double> whole_clock_hz, sum_clock_hz;
  /// Half-width of the sum as a share of the whole.
  double relative_half_width() const { return sum_s.half_width / whole_s.value; }
};

/// A pure function of the rounds. `launch_shares` divides the time of launches that cannot be timed apart
/// (TimedIteration::early): each gets the part that it has of the group's shares; empty: even parts. Throws
/// Error for fewer than kFewestRounds.
SumEstimate estimate(const KernelTable& table, const TimedIteration& iteration,
                     const std::vector<Round>& rounds, const std::vector<double>& launch_shares = {});

/// A table in which every launch is a kernel.
KernelTable one_kernel_each(size_t launches);

}  // namespace kjoule
