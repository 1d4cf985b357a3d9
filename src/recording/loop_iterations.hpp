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
  uint64_t iterations = 0;                         ///< number of iterations whose GPU times are known
  int64_t low_ns = 0, median_ns = 0, high_ns = 0;  ///< 10 %, 50 % and 90 % quantiles of the GPU times
  /// Times on the device from the begin of an iteration to the begin of the next iteration, for the last
  /// iterations whose begins are known. At most 64; the latest iteration comes first.
  std::vector<int64_t> distances_ns{};
  bool host_waits = false;  ///< whether the host waited for the device in each iteration of distances_ns
  std::optional<IterationParts> parts{};  ///< mean parts of the iterations of distances_ns
  int64_t mean_ns = 0;                    ///< mean GPU time; 0 in rows that older versions of kjoule wrote

  /// Largest share() at which one iteration can represent all.
  static constexpr double kLargest = 0.05;

  /// Returns whether the GPU times differ so much that one iteration cannot represent all.
  bool is_wide() const { return share() > kLargest; }
  /// Returns the distance between the 10 % and 90 % quantiles as a share of the median. The median must not
  /// be 0.
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

/// The iterations of a loop. The arguments of the constructor must outlive it.
class LoopIterations {
 public:
  LoopIterations(const RunPart& loop, const RunSums& sums);
  LoopIterations(const RunPart&& loop, const RunSums& sums) = delete;
  LaunchRange range(uint64_t iteration) const;
  /// Returns the number of the measurable iteration whose GPU time is closest to the median; nothing if no
  /// iteration is measurable. Returns one of the first `early` iterations only if no later iteration is
  /// measurable. An iteration is measurable if all its operations are in the log and it has at most
  /// `most_launches` launches.
  std::optional<uint64_t> best(uint64_t early, uint64_t most_launches) const;
  /// Returns the numbers of up to `count` measurable iterations at even distances. The first `early`
  /// iterations are skipped, but at most half of all.
  std::vector<uint64_t> systematic(size_t count, uint64_t early, uint64_t most_launches) const;
  /// Returns the spread of the iterations whose times are known; nothing if there are fewer than two. The
  /// first iteration, in which the program warms up, is omitted if the times of at least two other iterations
  /// are known.
  std::optional<IterationSpread> spread() const;

 private:
  /// The last consecutive iterations whose begins and ends are known, at most 64; `end` is not included.
  struct Recent {
    uint64_t first = 0, end = 0;
  };
  Recent recent() const;
  bool can_be_measured(uint64_t iteration, uint64_t most_launches) const {
    return sums_.is_complete(range(iteration)) && sums_.operations(range(iteration)) <= most_launches;
  }
  /// Adds the distances of these iterations, and whether the host waited in each.
  void add_distances(Recent recent, IterationSpread& spread) const;

  const RunPart& loop_;
  const RunSums& sums_;
  std::vector<double> times_ns_;
};

/// Returns the spread of the loop that was running at the end of the log. The loop begins with launch
/// `first`, and each of its iterations has `length` launches; each node of a graph counts as a launch. If
/// `length` is 0, an iteration begins at each launch that has the thread, kernel, grid and block of launch
/// `first`. Returns nothing if the log does not contain enough iterations.
std::optional<IterationSpread> spread_of_last_loop(const RunLog& log, uint64_t first, uint64_t length);

}  // namespace kjoule
