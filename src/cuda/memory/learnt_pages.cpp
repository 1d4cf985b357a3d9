#include "cuda/memory/learnt_pages.hpp"

#include <utility>

namespace kjoule::cuda {

void LearntPages::add(const PagedMemory& memory, const PageSet& changed) {
  for (const PagedMemory::Range& range : memory.ranges_of(changed)) changed_.push_back(range.memory);
  changed_ = merge_overlaps(std::move(changed_));
  ++iterations_;
}

PageSet LearntPages::predict(const PagedMemory& memory, unsigned neighbours) const {
  std::vector<Allocation> near = changed_;
  const uint64_t bytes = neighbours * kPageBytes;
  for (Allocation& range : near) {
    range.address -= bytes;
    range.bytes += 2 * bytes;
  }
  return memory.pages_within(merge_overlaps(std::move(near)));
}

}  // namespace kjoule::cuda
