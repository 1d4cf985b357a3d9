#include "cuda/snapshot.hpp"

#include <algorithm>

namespace kjoule::cuda {

void Snapshot::take(const PageSet& pages, const char* what, CUstream stream) {
  images_.save(memory_, pages, what, stream);
  hashes_ = memory_.hashes(stream);
}

PageSet Snapshot::changed(const std::vector<uint64_t>& now) const {
  PageSet changed;
  for (unsigned page = 0; page < hashes_.size(); ++page)
    if (hashes_[page] != now[page]) changed.add(page);
  return changed;
}

void Snapshot::adopt(const PageSet& pages, const std::vector<uint64_t>& now, CUstream stream) {
  images_.save(memory_, pages, "the pages that replays change", stream);
  hashes_.resize(memory_.pages());
  pages.for_each([&](unsigned page) { hashes_[page] = now[page]; });
}

bool MemoryDigest::is_undefined(uint64_t address, uint64_t bytes) const {
  const auto next = std::ranges::upper_bound(of_graphs, address, {}, &Allocation::end);
  return next != of_graphs.end() && next->address < address + bytes;
}

}  // namespace kjoule::cuda
