#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measure/round.hpp"
#include "measure/statistics.hpp"
#include "trace/recording.hpp"

namespace kjoule {

/// The sum's interval may not be wider than this share of the whole, whatever was asked; wider is called
/// imprecise.
constexpr double kLargestHalfWidth = 0.03;

/// What one window size gave.
struct WindowTrial {
  int window = 0;
  int rounds = 0;
  double share = 0;           ///< sum over the whole
  double standard_error = 0;  ///< of share; 0 for a single round
};

/// One kernel of the table, all its places together, in seconds.
struct KernelEstimate {
  Interval total_s;                  ///< in context
  std::optional<double> timeline_s;  ///< inside the played whole: an independent timing, not used in total_s
};

/// What the rounds say: the sum over kernels against the whole.
struct SumEstimate {
  std::vector<WindowTrial> trials;  ///< of each window size; all count the same
  int rounds = 0;
  Interval whole_s;
  /// Where it was measured among the launches too: then the launches are shares of this, so that both met the
  /// same clock, and whole_s.value times them is what they take at its clock.
  std::optional<double> among_s;
  Interval sum_s;  ///< its interval is that of sum / whole, times whole_s.value
  double scatter_s =
      0;  ///< half-width that the rounds' scatter alone gives; the rest is the windows' disagreement
  std::optional<Interval> eager_s;
  std::optional<Interval> played_s;
  /// Mean clock of the device's processors during the whole and during the sweeps, where it tells.
  std::optional<double> whole_clock_hz, sweep_clock_hz;
  std::vector<KernelEstimate> kernels;
  /// Half-width of the sum as a share of the whole.
  double relative_half_width() const { return sum_s.half_width / whole_s.value; }
};

/// Pure function of the rounds; needs two of them.
SumEstimate estimate(const KernelTable& table, const std::vector<Round>& rounds);

}  // namespace kjoule
