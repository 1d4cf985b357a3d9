#pragma once
#include <cstdint>
#include <vector>

namespace kjoule {

/// The clocks of ranks, compared with that of the first rank.
struct ClockAlignment {
  std::vector<int64_t> ahead_ns;  ///< by rank: by how much its device times are ahead
  int64_t error_ns = 0;           ///< largest error of the difference between two of them
  /// By how much events contradict each other, such as a collective that ends on one rank before it begins on
  /// another, ns. It is part of error_ns.
  int64_t contradiction_ns = 0;
};

/// The differences between clocks, bounded by events whose order is known: each event shows that one clock is
/// at most so much ahead of another one.
class ClockDifferences {
 public:
  explicit ClockDifferences(size_t clocks);
  /// Clock `a` is ahead of clock `b` by at most `ns`.
  void limit(size_t a, size_t b, int64_t ns);
  /// Returns how far the first `ranks` clocks are ahead. The true difference of two clocks is in an interval
  /// that follows from the bounds of all clocks, and the result is in the middle of the interval to the first
  /// clock. That of the first clock is itself in the middle of its interval to clock `host`, 0 if this is not
  /// known. Throws Error if a difference has no bound.
  ClockAlignment align(size_t ranks, size_t host) const;

 private:
  using Bounds = std::vector<std::vector<int64_t>>;
  /// Returns the tightest bounds that follow from all bounds, each of them relaxed by `more_ns`; empty if
  /// they contradict each other.
  Bounds closed(int64_t more_ns) const;

  Bounds most_ns_;  ///< [a][b]
};

}  // namespace kjoule
