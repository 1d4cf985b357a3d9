#include "cuda/memory/snapshot.hpp"

#include <algorithm>

#include "cuda/driver/buffer.hpp"
#include "cuda/memory/page_twins.hpp"

namespace kjoule::cuda {

namespace {

/// Largest number of changed pages (64 MiB) for which twins are searched. If more have changed, the iteration
/// was not predicted at all.
constexpr unsigned kMostTwins = 16384;

}  // namespace

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

void Snapshot::save_from_twins(const PageSet& changed, const std::vector<uint64_t>& now, CUstream stream) {
  const PageSet lost = subtract(changed, images_.pages());
  if (lost.size() > kMostTwins) return;
  const std::vector<PageTwins> twins = find_twins(memory_, lost, hashes_, now);
  if (twins.empty()) return;
  const Buffer kept(twins.size() * kPageBytes);
  PageCopies keeping;
  PageCopies from_twins;
  PageCopies putting_back;
  PageSet pages;
  for (uint64_t place = kept.address(); const auto& [page, twin] : twins) {
    const uint64_t address = memory_.address_of(page);
    const uint64_t bytes = memory_.bytes_of(page);
    keeping.add(place, address, bytes);
    from_twins.add(address, memory_.address_of(twin), bytes);
    putting_back.add(address, place, bytes);
    pages.add(page);
    place += kPageBytes;
  }
  kernels_.copy_and_wait(keeping, stream);
  kernels_.copy_and_wait(from_twins, stream);
  images_.save(memory_, pages, "the memory that the iteration changes", stream);
  kernels_.copy_and_wait(putting_back, stream);
}

void Snapshot::adopt(const PageSet& pages, const std::vector<uint64_t>& now, CUstream stream) {
  images_.save(memory_, pages, "the memory that replays change", stream);
  hashes_.resize(memory_.pages());
  pages.for_each([&](unsigned page) { hashes_[page] = now[page]; });
}

bool MemoryDigest::is_undefined(uint64_t address, uint64_t bytes) const {
  const auto next = std::ranges::upper_bound(of_graphs, address, {}, &Allocation::end);
  return next != of_graphs.end() && next->address < address + bytes;
}

}  // namespace kjoule::cuda
