#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "recording/iteration_parts.hpp"
#include "recording/run_structure.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {

/// The GPU times (busy times by CUPTI) of the iterations of a loop.
struct IterationSpread {
  uint64_t iterations = 0;                         ///< whose times are known
  int64_t low_ns = 0, median_ns = 0, high_ns = 0;  ///< quantiles of 10, 50 and 90 %
  /// Distances on the device between the begins of one iteration and the next: of the last iterations whose
  /// times are known, at most 64, last first.
  std::vector<int64_t> distances_ns{};
  bool host_waits = false;                ///< whether the host waited for the device in each of them
  std::optional<IterationParts> parts{};  ///< of the same iterations
  int64_t mean_ns = 0;                    ///< 0 in older rows

  /// Largest spread of iterations of which one stands for all.
  static constexpr double kLargest = 0.05;

  /// Returns whether the iterations differ so much that one cannot stand for all.
  bool is_wide() const { return share() > kLargest; }
  /// Returns the distance between the outer quantiles as a share of the median, which is not 0.
  double share() const { return static_cast<double>(high_ns - low_ns) / static_cast<double>(median_ns); }
  bool operator==(const IterationSpread&) const = default;
};
template <class Fields>
void describe(Fields& fields, IterationSpread& spread) {
  fields("iterations", spread.iterations);
  fields("low_busy_ns", spread.low_ns);
  fields("median_busy_ns", spread.median_ns);
  fields("high_busy_ns", spread.high_ns);
  fields.unless_empty("distances_ns", spread.distances_ns);
  fields.unless_empty("host_waits", spread.host_waits);
  fields("parts", spread.parts);
  fields.unless_empty("mean_busy_ns", spread.mean_ns);
}

/// The iterations of a loop. Refers to its arguments.
class LoopIterations {
 public:
  LoopIterations(const RunPart& loop, const RunSums& sums);
  LoopIterations(const RunPart&& loop, const RunSums& sums) = delete;
  LaunchRange range(uint64_t iteration) const;
  /// Returns the iteration with the median GPU time that can be measured, the first `early` ones only if no
  /// other can be; nothing if none can be. An iteration can be measured if all its operations are in the log,
  /// and if it has at most `most_launches`.
  std::optional<uint64_t> best(uint64_t early, uint64_t most_launches) const;
  /// Returns up to `count` of the iterations that can be measured, at even distances, without the first
  /// `early` ones if others can be.
  std::vector<uint64_t> systematic(size_t count, uint64_t early, uint64_t most_launches) const;
  /// Returns the spread without the first iteration, which warms up, if there are enough; nothing if fewer
  /// than two iterations are known.
  std::optional<IterationSpread> spread() const;

 private:
  /// The last iterations, at most 64, that follow each other and whose begins and ends are known.
  struct Recent {
    uint64_t first = 0, end = 0;
  };
  Recent recent() const;
  bool can_be_measured(uint64_t iteration, uint64_t most_launches) const {
    return sums_.is_complete(range(iteration)) && sums_.operations(range(iteration)) <= most_launches;
  }
  /// Adds what is known of these iterations one by one.
  void add_distances(Recent recent, IterationSpread& spread) const;

  const RunPart& loop_;
  const RunSums& sums_;
  std::vector<double> times_ns_;
};

/// Returns the spread of the loop that a program was in when its log ended: its iterations have `length`
/// launches, numbered as --iterations counts, from `first` on. If `length` is 0, each begins with a launch of
/// the same kernel, grid and block as launch `first`, by the same thread. Nothing if the log does not have
/// enough of them.
std::optional<IterationSpread> spread_of_last_loop(const RunLog& log, uint64_t first, uint64_t length);

}  // namespace kjoule
