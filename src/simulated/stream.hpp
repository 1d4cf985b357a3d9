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
  /// The energy is dynamic, at the highest clock, of a launch that meets the program's values.
  struct Parts {
    double gap_s = 0;
    double body_s = 0;
    bool compute_bound = false;  ///< the body is as long as its flops take
    double compute_j = 0;        ///< of flops, and of being busy
    double memory_j = 0;         ///< of bytes
    double total_s() const { return gap_s + body_s; }
    double dynamic_j() const { return compute_j + memory_j; }
  };
  /// The launch, right behind the one played before.
  Parts play_in_parts(LaunchIndex launch);
  /// Seconds of the same.
  double play(LaunchIndex launch) { return play_in_parts(launch).total_s(); }
  /// The launch, first in an iteration of the program's own, before which the device is drained.
  Parts play_drained(LaunchIndex launch);
  /// The launch, right after a stamp: it waits longer, and the launches after it cost what they cost without
  /// the stamp. (So on H200s: what stretches between stamps take adds up, whatever their length.)
  Parts play_after_stamp(LaunchIndex launch);
  /// Copies what the launch writes over it again: reads as many bytes from memory, past the cache, and writes
  /// its own, and pays for those of them that are no longer in the cache. The gap before a copy is always the
  /// same; a launch behind one costs as it does behind the launch itself. (On an H200 the times that launches
  /// add among such copies come to those in context within 0.4 % where launches are tiny, and fall short
  /// where they write what the cache lost.)
  Parts copy_over(LaunchIndex launch);
  /// The same in place of the launch.
  Parts copy_instead(LaunchIndex launch);
  /// The same with all that the program writes, as if it all were in the cache, which stays as it was;
  /// nothing counts as having been before the next launch.
  Parts put_back();
  /// Copies as many other bytes as the cache holds, which leaves none of the program's in it.
  Parts flush();

 private:
  struct Cost {
    double compute_s = 0;  ///< the least that it takes if all its bytes come for free
    double flops_s = 0;
    double flops_j = 0;
    uint64_t bytes = 0;
    uint32_t first_range = 0;    ///< of the cache's
    uint32_t first_written = 0;  ///< they come last
    uint32_t last_range = 0;     ///< not included
    uint64_t written_bytes = 0;
    uint32_t kernel = 0;
  };
  Parts parts(const Cost& cost, double gap_s);
  Parts copy(uint64_t bytes, uint64_t missed);
  size_t pair(uint32_t before, uint32_t kernel) const { return size_t{before} * kernels_ + kernel; }
  void set_gaps(uint64_t seed);

  std::vector<Cost> costs_;
  RangeCache cache_;
  uint64_t written_bytes_;  ///< by any launch
  double hit_s_a_byte_;
  double extra_miss_s_a_byte_;  ///< on top of a hit's
  double hit_j_a_byte_;
  double extra_miss_j_a_byte_;  ///< on top of a hit's
  double busy_w_;
  double drain_s_;
  size_t kernels_ = 1;                 ///< number 0 stands for none before
  std::vector<double> gap_s_;          ///< by the kernel before and the kernel
  std::vector<double> second_gap_s_;   ///< by the kernel before the one before, and the kernel
  std::vector<double> drained_gap_s_;  ///< by the kernel before and the kernel
  uint32_t before_ = 0;
  uint32_t second_before_ = 0;
};

}  // namespace kjoule
