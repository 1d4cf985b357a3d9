#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kjoule {

/// The launches of a whole run, in the order in which the program issued them.
struct RunLaunches {
  /// One number for each launch: launches with equal shape hashes (function, grid, block, shared bytes) have
  /// equal numbers. A graph is one launch.
  std::span<const uint32_t> signatures;
  /// For each launch the hash of its parameters that point into allocated memory; equal hashes mean equal
  /// addresses.
  std::span<const uint64_t> address_hashes;
  /// Numbers of the launches before which the host waited for the device, ascending.
  std::span<const uint64_t> synchronisations;
};

/// A part of a run: a loop, or a single pass.
struct RunPart {
  uint64_t first = 0;     ///< number of the part's first launch
  uint64_t launches = 0;  ///< number of the part's launches
  /// Launches per iteration; of the first iteration, if iterations differ in length. 0 for a single pass.
  uint64_t period = 0;
  uint64_t iterations = 1;  ///< complete iterations
  /// Number of the part's kind. Loops over equal bodies have the same kind; every single pass has its own
  /// kind.
  uint32_t kind = 0;
  /// Share of the launches whose pointers are the same in every iteration, from 0 to 1; 0 for a single pass.
  double repeating_share = 0;
  bool even = true;  ///< whether all iterations have the same number of launches
  /// If `even` is false, the number of the first launch of each complete iteration, followed by the number of
  /// the launch after the last iteration. Empty if `even` is true.
  std::vector<uint64_t> begins{};
};

/// A loop around several parts, of which at least one is a loop.
struct RunGroup {
  size_t first_part = 0;    ///< index of its first part
  size_t parts = 0;         ///< number of its parts, which are consecutive in RunStructure::parts
  uint64_t iterations = 0;  ///< complete iterations
};

/// The parts of a run and the loops around them. The parts contain every launch exactly once, in order.
struct RunStructure {
  std::vector<RunPart> parts;
  std::vector<RunGroup> groups;  ///< outer groups before inner ones
  uint32_t kinds = 0;            ///< number of kinds of parts
};

/// Returns the structure of a run.
///
/// Loops are found from the inside out. A sequence of launches that occurs at least 3 times in a row is a
/// loop. In the search for outer loops, an inner loop counts as one launch, whatever its number of
/// iterations.
///
/// Identical blocks of a network also form a loop, but each block has its own weights, so that one block is
/// not an iteration of the program. Therefore the pointers of the launches are compared. A loop is true if
/// the pointers of 90 % of its launches repeat after n of its iterations, for an n from 1 to 256. These n
/// iterations of the loop (the blocks of a network, or buffers in rotation) together are one iteration of the
/// program. The parts are the innermost true loops, with one exception: if less than 90 % of the launches of
/// a true loop repeat within its inner true loops, the outer loop is the part.
///
/// If n is 2 and the host waits for the device in each of the two, each of them is an iteration of the
/// program. Then two sets of buffers alternate, for example because the program keeps its last result until
/// the next result is complete. Likewise, if n is even and the host waits exactly once in each half of the n
/// iterations, each half is an iteration of the program.
///
/// An allocator may return different addresses in each step of a program, and repeat them only after many
/// steps. Such a step is an iteration if two conditions hold: the host waits exactly once in the step, and
/// more than a quarter of the launches whose addresses change have addresses without order. (The addresses of
/// a network's blocks have an order: a launch has a new address in each block, that of the block's weights,
/// or a few addresses in rotation.)
///
/// A loop that is not true is a part only if it has at least 256 iterations. A true loop of less than 10
/// iterations is a part only if it has at least 5 % of the run's launches. All launches outside these loops
/// form single passes: a new pass begins wherever the host waits for the device, and after 2000 launches at
/// the latest.
///
/// Needs about 80 bytes per launch, and time proportional to n log n for n launches.
RunStructure find_structure(const RunLaunches& run);

}  // namespace kjoule
