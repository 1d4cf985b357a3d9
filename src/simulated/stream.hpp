#pragma once
#include <vector>

#include "simulated/cache.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// What launches cost on the machine, one after another, without noise and drift: the model that both the
/// simulated device and its truth are made of. A launch costs
///
///   gap + max(flops / F, bytes hit / B_hit + bytes missed / B_miss, shortest)
///
/// where the gap depends on the signatures of the launch and of the two before it: a kernel alone is wrong.
class SimulatedStream {
 public:
  explicit SimulatedStream(const SimulatedProgram& program);

  /// Empties the cache and forgets what was played.
  void reset();
  /// What a launch costs: from the end of the one before to its begin (negative where they overlap), and from
  /// there to its own end.
  struct Parts {
    double gap_s = 0;
    double body_s = 0;
    double total_s() const { return gap_s + body_s; }
  };
  /// The launch, right behind the one played before.
  Parts play_in_parts(LaunchIndex launch);
  /// Seconds of the same.
  double play(LaunchIndex launch) { return play_in_parts(launch).total_s(); }
  /// Seconds of the launch, first in a timed stretch before which the device is drained.
  double play_drained(LaunchIndex launch);
  /// Seconds of a timed stretch before which the device is drained and that plays nothing.
  double drained_s() const { return drain_s_; }

 private:
  struct Cost {
    double compute_s = 0;  ///< the least that it takes if all its bytes come for free
    uint64_t bytes = 0;
    uint32_t first_range = 0;  ///< of the cache's
    uint32_t last_range = 0;   ///< not included
    uint32_t kernel = 0;
  };
  double body_s(const Cost& cost);
  size_t pair(uint32_t before, uint32_t kernel) const { return size_t{before} * kernels_ + kernel; }
  void set_gaps(uint64_t seed);

  std::vector<Cost> costs_;
  RangeCache cache_;
  double hit_s_a_byte_;
  double extra_miss_s_a_byte_;  ///< on top of a hit's
  double drain_s_;
  size_t kernels_ = 1;                 ///< number 0 stands for none before
  std::vector<double> gap_s_;          ///< by the kernel before and the kernel
  std::vector<double> second_gap_s_;   ///< by the kernel before the one before, and the kernel
  std::vector<double> drained_gap_s_;  ///< by the kernel before and the kernel
  uint32_t before_ = 0;
  uint32_t second_before_ = 0;
};

}  // namespace kjoule
