#pragma once
#include <vector>

#include "simulated/cache.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// The model of the cost of successive launches on the machine, without noise and drift. The simulated device
/// and its truth use this model. A launch takes
///
///   gap + max(flops / F, bytes hit / B_hit + bytes missed / B_miss, shortest)
///
/// F and B are the machine's rates (SimulatedMachine). The gap depends on the signatures of the launch and of
/// the two previous launches, so that the time of a kernel in isolation differs from its time in context.
class SimulatedStream {
 public:
  explicit SimulatedStream(const SimulatedProgram& program);

  /// Empties the cache and removes the history of launches.
  void reset();
  /// The cost of a launch. The gap is the time from the end of the previous launch to the begin of this
  /// launch (negative if the two overlap); the body is the time from the begin to the end of this launch. The
  /// energy is dynamic, at the highest clock, with the program's values.
  struct Parts {
    double gap_s = 0;
    double body_s = 0;
    bool compute_bound = false;  ///< whether the FLOPs determine the time of the body
    double compute_j = 0;        ///< energy of FLOPs and of the constant power of launches
    double memory_j = 0;         ///< energy of reading and writing bytes
    double total_s() const { return gap_s + body_s; }
    double dynamic_j() const { return compute_j + memory_j; }
  };
  /// Replays the launch directly after the last replayed launch, and returns its cost.
  Parts replay_launch(LaunchIndex launch);
  /// Replays the launch directly after the last replayed launch, and returns its time in s.
  double replay_s(LaunchIndex launch) { return replay_launch(launch).total_s(); }
  /// Replays the launch as the first one of the program's own iteration, before which the device is drained,
  /// and returns its cost.
  Parts replay_drained(LaunchIndex launch);
  /// Replays the launch directly after a stamp, and returns its cost. The stamp makes the gap of this launch
  /// longer, and does not change the cost of later launches. (On H200s, too, the times between stamps add up,
  /// independently of the number of launches between them.)
  Parts replay_after_stamp(LaunchIndex launch);
  /// Returns the cost of writing the launch's output once more, from a copy. The copy is read from memory
  /// without the cache; writing bytes that are no longer in the cache costs more. The gap before this
  /// operation is constant, and the next launch costs the same as without it. (On an H200, times of tiny
  /// launches between such copies agree with those in context within 0.4 %; times are too short if launches
  /// write data that the cache has lost.)
  Parts copy_over(LaunchIndex launch);
  /// Returns the cost of writing the launch's output from a copy instead of replaying the launch.
  Parts copy_instead(LaunchIndex launch);
  /// Returns the cost of restoring all memory that the program writes, as if it were in the cache. The cache
  /// does not change, and the next launch has no predecessor.
  Parts restore();
  /// Returns the cost of copying foreign data of the cache's size, which removes all data of the program from
  /// the cache.
  Parts flush();

 private:
  struct Cost {
    double compute_s = 0;  ///< time of the body, except for its bytes
    double flops_s = 0;
    double flops_j = 0;
    uint64_t bytes = 0;
    uint32_t first_range = 0;    ///< index of the launch's first range in the cache
    uint32_t first_written = 0;  ///< index of its first written range; written ranges are last
    uint32_t last_range = 0;     ///< index after its last range
    uint64_t written_bytes = 0;
    uint32_t kernel = 0;
  };
  Parts parts(const Cost& cost, double gap_s);
  Parts copy(uint64_t bytes, uint64_t missed);
  size_t pair(uint32_t before, uint32_t kernel) const { return size_t{before} * kernels_ + kernel; }
  void set_gaps(uint64_t seed);

  std::vector<Cost> costs_;
  RangeCache cache_;
  uint64_t written_bytes_;  ///< number of different bytes that launches write
  double hit_s_a_byte_;
  double extra_miss_s_a_byte_;  ///< added to hit_s_a_byte_ for a miss
  double hit_j_a_byte_;
  double extra_miss_j_a_byte_;  ///< added to hit_j_a_byte_ for a miss
  double busy_w_;
  double drain_s_;
  size_t kernels_ = 1;                 ///< number of kernels + 1; kernel 0: no launch precedes
  std::vector<double> gap_s_;          ///< by pair() of the previous kernel and the kernel
  std::vector<double> second_gap_s_;   ///< by pair() of the kernel two launches before and the kernel
  std::vector<double> drained_gap_s_;  ///< by pair() of the previous kernel and the kernel
  uint32_t before_ = 0;
  uint32_t second_before_ = 0;
};

/// Replays three iterations and returns the cost of the launches of the third iteration. These are the costs
/// in the steady state, because the cache has the same contents after the second iteration as after every
/// later iteration.
std::vector<SimulatedStream::Parts> replay_to_steady_state(SimulatedStream& stream, LaunchIndex launches);

}  // namespace kjoule
