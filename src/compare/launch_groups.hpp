#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "compare/kernel_matches.hpp"

namespace kjoule {

/// Numbers of launches by kernel.
using LaunchCounts = std::map<uint32_t, uint64_t>;

/// Launches of one iteration that are in the place of launches of another iteration. Either list may be
/// empty: then launches were added or removed.
struct ReplacedLaunches {
  LaunchCounts before, after;  ///< all occurrences together
  uint64_t occurrences = 0;    ///< places of the iteration at which this happens
};

/// How the launches of two iterations correspond. Every launch belongs to exactly one match or replacement.
struct LaunchGroups {
  std::vector<uint64_t> matched;  ///< for each kernel match, the number of its launches in either iteration
  std::vector<ReplacedLaunches> replaced;
};

/// Compares the order of launches of two iterations. `matches` are those of match_kernels(). Launches of
/// matched kernels correspond to each other in order, and beyond that in any order: iterations that differ
/// only in the order of their launches have no replacements.
LaunchGroups group_launches(const BaselineIteration& before, const BaselineIteration& after,
                            const std::vector<KernelMatch>& matches);

}  // namespace kjoule
