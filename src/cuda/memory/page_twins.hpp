#pragma once
#include <cstdint>
#include <vector>

#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

/// A changed page, and an unchanged page that still has the contents of the changed page before its change.
struct PageTwins {
  unsigned changed = 0;
  unsigned unchanged = 0;
};

/// Returns one pair for each `changed` page that has such a twin in device memory, for example among the
/// zeros of a cache that is not full yet. `before` and `now` are the hashes of all pages.
std::vector<PageTwins> find_twins(const PagedMemory& memory, const PageSet& changed,
                                  const std::vector<uint64_t>& before, const std::vector<uint64_t>& now);

}  // namespace kjoule::cuda
