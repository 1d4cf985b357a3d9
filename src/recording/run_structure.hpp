#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kjoule {

/// The launches of a whole run, in the order in which the program issued them.
struct RunLaunches {
  /// Number that is equal for launches with equal shape hash (function, grid, block, shared bytes); a graph
  /// is one launch.
  std::span<const uint32_t> signatures;
  /// Hash of the parameters that point into allocated memory, by launch; equal hashes mean equal addresses.
  std::span<const uint64_t> address_hashes;
  /// Numbers of the launches before which the host waited for the device, ascending.
  std::span<const uint64_t> synchronisations;
};

/// A part of a run: a loop, or a single pass.
struct RunPart {
  uint64_t first = 0;     ///< number of its first launch
  uint64_t launches = 0;  ///< number of its launches
  /// Launches per iteration; 0 for a single pass. Where iterations differ in length, that of the first one.
  uint64_t period = 0;
  uint64_t iterations = 1;  ///< complete iterations
  /// Parts of equal kind are loops over equal bodies; every single pass has a kind of its own.
  uint32_t kind = 0;
  /// Share of the launches whose pointers repeat from iteration to iteration; 0 for a single pass.
  double repeating_share = 0;
  bool even = true;  ///< whether all iterations have the same number of launches
  /// Where they have not: the first launch of each complete iteration, and the launch after the last one.
  std::vector<uint64_t> begins{};
};

/// A loop around several parts, of which at least one is a loop.
struct RunGroup {
  size_t first_part = 0;    ///< index of its first part
  size_t parts = 0;         ///< number of its parts
  uint64_t iterations = 0;  ///< complete iterations
};

/// How a run is composed. The parts contain every launch exactly once, in order.
struct RunStructure {
  std::vector<RunPart> parts;
  std::vector<RunGroup> groups;  ///< outer groups before inner ones
  uint32_t kinds = 0;            ///< number of kinds of parts
};

/// Returns the structure of a run.
///
/// Loops are found from the inside out: a sequence that repeats at least 3 times in a row is a loop, and
/// counts as one launch in the search for the loops around it, whatever its number of iterations.
///
/// The iterations of a part are the smallest true ones. Identical blocks of a network form a loop, too, but
/// each block has its own weights, whereas a true iteration returns to its own addresses: the pointers of 90
/// % of the launches repeat after one iteration of the loop, or after up to 256 of them, which then are one
/// (the blocks of a network, or buffers in rotation). A true loop around other true loops is preferred to
/// them when less than 90 % of its launches repeat within them.
///
/// Where the pointers repeat after two iterations and the host waits for the device in each, two sets of
/// buffers take turns, as where a program keeps its last result until it has the next one: each of the two is
/// an iteration. So is each half of an iteration of blocks, if the host waits exactly once in it.
///
/// An allocator may hand out other addresses in each step, and return to the same ones only after many steps.
/// Such a step is an iteration if the host waits exactly once in it, and if more than a quarter of the
/// launches whose addresses change have several without order. In the blocks of a network there is an order:
/// a launch has another address in each block (its weights), or a few in rotation.
///
/// A loop whose pointers do not repeat is a part only with 256 iterations or more, and a loop of less than 10
/// iterations only with 5 % of all launches. What is left is cut into single passes where the host waits for
/// the device, and after at most 2000 launches.
///
/// Needs about 80 bytes per launch, and time proportional to the number of launches times its logarithm.
RunStructure find_structure(const RunLaunches& run);

}  // namespace kjoule
