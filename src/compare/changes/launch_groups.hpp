#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "compare/changes/kernel_matches.hpp"

namespace kjoule {

/// Number of launches by the index of their kernel.
using LaunchCounts = std::map<uint32_t, uint64_t>;

/// Launches of the earlier iteration, and the launches that replace them in the later one. `before` is empty
/// if launches were only added, `after` if launches were only removed.
struct ReplacedLaunches {
  LaunchCounts before, after;  ///< all occurrences together
  uint64_t occurrences = 0;    ///< number of places in the iteration at which this replacement occurs
};

/// The correspondence of the launches of two iterations. Every launch belongs to exactly one match or
/// replacement.
struct LaunchGroups {
  std::vector<uint64_t> matched;  ///< for each kernel match, the number of its launches in either iteration
  std::vector<ReplacedLaunches> replaced;
};

/// Compares the launches of two iterations. `matches` is the result of match_kernels(). Launches of matched
/// kernels are first paired in their order; the remaining launches of matched kernels are then paired in any
/// order. Therefore iterations that differ only in the order of their launches have no replacements.
LaunchGroups group_launches(const BaselineIteration& before, const BaselineIteration& after,
                            const std::vector<KernelMatch>& matches);

}  // namespace kjoule
