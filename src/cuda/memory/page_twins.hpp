#pragma once
#include <cstdint>
#include <vector>

#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

/// A page that was changed, and an unchanged one that still holds what the changed one held before.
struct PageTwins {
  unsigned changed = 0;
  unsigned unchanged = 0;
};

/// Returns one pair for each of the `changed` pages that has such a twin in memory of the device, for
/// instance among the zeros of a cache that is not full yet. `before` and `now` are the hashes of all pages.
std::vector<PageTwins> find_twins(const PagedMemory& memory, const PageSet& changed,
                                  const std::vector<uint64_t>& before, const std::vector<uint64_t>& now);

}  // namespace kjoule::cuda
