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

/// Returns one pair for each `changed` page that has such a twin in device memory. For example, another page
/// of zeros is the twin of a page of a cache that contained zeros before the program filled the page.
/// `before` and `now` are the hashes of all pages.
std::vector<PageTwins> find_twins(const PagedMemory& memory, const PageSet& changed,
                                  const std::vector<uint64_t>& before, const std::vector<uint64_t>& now);

}  // namespace kjoule::cuda
