#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kjoule {

/// The launches of a whole run, in the order in which the program issued them.
struct RunLaunches {
  /// For each launch a number that launches with equal shape hash (function, grid, block, shared bytes)
  /// share. A graph is one launch.
  std::span<const uint32_t> signatures;
  /// For each launch the hash of its parameters that point into allocated memory; equal hashes mean equal
  /// addresses.
  std::span<const uint64_t> address_hashes;
  /// Numbers of the launches before which the host waited for the device, ascending.
  std::span<const uint64_t> synchronisations;
};

/// A part of a run: a loop, or a single pass.
struct RunPart {
  uint64_t first = 0;     ///< number of its first launch
  uint64_t launches = 0;  ///< number of its launches
  /// Launches per iteration (of the first one, if iterations differ in length); 0 for a single pass.
  uint64_t period = 0;
  uint64_t iterations = 1;  ///< complete iterations
  /// Parts of equal kind are loops over equal bodies; every single pass has a kind of its own.
  uint32_t kind = 0;
  /// Share of the launches whose pointers repeat from iteration to iteration; 0 for a single pass.
  double repeating_share = 0;
  bool even = true;  ///< whether all iterations have the same number of launches
  /// If `even` is false, the number of the first launch of each complete iteration, and of the launch after
  /// the last iteration; otherwise empty.
  std::vector<uint64_t> begins{};
};

/// A loop around several parts, of which at least one is a loop.
struct RunGroup {
  size_t first_part = 0;    ///< index of its first part
  size_t parts = 0;         ///< number of its parts
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
/// loop. In the search for loops around it, it counts as one launch, whatever its number of iterations.
///
/// A loop is true if its iterations return to the same addresses. Identical blocks of a network form a loop,
/// too, but each block has its own weights, so that one block is not an iteration of the program. Therefore a
/// loop is true only if the pointers of 90 % of its launches repeat after n of its iterations, n = 1 to 256.
/// These n (the blocks of a network, or buffers in rotation) together are one iteration. The parts are the
/// innermost true loops; but a true loop is preferred to the true loops within it if less than 90 % of its
/// launches repeat within them.
///
/// If the pointers repeat after two iterations and the host waits for the device in each, each of the two is
/// an iteration: two sets of buffers alternate, for example because the program keeps its last result until
/// it has the next one. In the same way each half of an even n is an iteration, if the host waits exactly
/// once in it.
///
/// An allocator may return other addresses in each step, and the same ones only after many steps. Such a step
/// is an iteration if two conditions hold: the host waits exactly once in it, and more than a quarter of the
/// launches whose addresses change have addresses without order. The blocks of a network have an order: a
/// launch has another address in each block (its weights), or a few addresses in rotation.
///
/// A loop whose pointers do not repeat is a part only if it has at least 256 iterations. A true loop of less
/// than 10 iterations is a part only if it has at least 5 % of all launches. The launches outside the parts
/// are cut into single passes: wherever the host waits for the device, and after 2000 launches at the latest.
///
/// Needs about 80 bytes per launch, and time proportional to n log n for n launches.
RunStructure find_structure(const RunLaunches& run);

}  // namespace kjoule
