#include "cuda/memory/paged_memory.hpp"

#include <algorithm>
#include <utility>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

/// Largest number of pages whose hashes or counts are on the device at a time: 16 MiB of hashes, for 8 GiB of
/// memory.
constexpr uint64_t kMostAtOnce = uint64_t{1} << 21;
constexpr uint64_t kLeastAtOnce = 256;
/// At a time, the hashes or counts on the device take at most 1 / kShareOfFree of its free memory.
constexpr uint64_t kShareOfFree = 256;

uint64_t most_at_once(uint64_t bytes_of_value) {
  size_t free = 0;
  size_t total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  return std::clamp(free / kShareOfFree / bytes_of_value, kLeastAtOnce, kMostAtOnce);
}

}  // namespace

PagedMemory::PagedMemory(const PageKernels& kernels, const std::vector<Allocation>& allocations)
    : kernels_(kernels) {
  for (const Allocation& allocation : allocations) append(allocation);
}

PageSet PagedMemory::add(const std::vector<Allocation>& ranges) {
  const unsigned first = pages_;
  for (const Allocation& fresh : subtract(merge_overlaps(ranges), merge_overlaps(allocations_)))
    append(fresh);
  return PageSet::range(first, pages_);
}

void PagedMemory::append(const Allocation& allocation) {
  allocations_.push_back(allocation);
  first_.push_back(pages_);
  pages_ += static_cast<unsigned>(allocation.pages());
}

size_t PagedMemory::allocation_of(unsigned page) const {
  return static_cast<size_t>(std::ranges::upper_bound(first_, page) - first_.begin()) - 1;
}

uint64_t PagedMemory::address_of(unsigned page) const {
  const size_t allocation = allocation_of(page);
  return allocations_[allocation].address + uint64_t{page - first_[allocation]} * kPageBytes;
}

uint64_t PagedMemory::bytes_of(unsigned page) const {
  const size_t allocation = allocation_of(page);
  return std::min<uint64_t>(
      kPageBytes, allocations_[allocation].bytes - uint64_t{page - first_[allocation]} * kPageBytes);
}

uint64_t PagedMemory::bytes_of(const PageSet& pages) const {
  uint64_t bytes = 0;
  for (const Range& range : ranges_of(pages)) bytes += range.memory.bytes;
  return bytes;
}

bool PagedMemory::is_open_to_host(unsigned page) const {
  const MemoryKind kind = allocations_[allocation_of(page)].kind;
  return kind == MemoryKind::host || kind == MemoryKind::managed;
}

bool PagedMemory::is_of_host(unsigned page) const {
  return allocations_[allocation_of(page)].kind == MemoryKind::host;
}

PageSet PagedMemory::pages_within(const std::vector<Allocation>& ranges) const {
  std::vector<PageSet::Run> found;
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    auto range = std::ranges::upper_bound(ranges, allocation.address, {}, &Allocation::end);
    for (; range != ranges.end() && range->address < allocation.end(); ++range) {
      const uint64_t begin = std::max(range->address, allocation.address) - allocation.address;
      const uint64_t end = std::min(range->end(), allocation.end()) - allocation.address;
      const auto first = first_[i] + static_cast<unsigned>(begin / kPageBytes);
      found.push_back(
          {first, first_[i] + static_cast<unsigned>((end + kPageBytes - 1) / kPageBytes) - first});
    }
  }
  return PageSet::of(std::move(found));
}

std::vector<PagedMemory::Range> PagedMemory::ranges_of(const PageSet& pages) const {
  std::vector<Range> ranges;
  for (const PageSet::Run& run : pages.runs())
    for (unsigned page = run.first; page < run.end();) {
      const size_t at = allocation_of(page);
      const Allocation& allocation = allocations_[at];
      const unsigned end = std::min(run.end(), first_[at] + static_cast<unsigned>(allocation.pages()));
      const uint64_t skipped = uint64_t{page - first_[at]} * kPageBytes;
      const uint64_t most = uint64_t{end - page} * kPageBytes;
      ranges.push_back(
          {page,
           {allocation.address + skipped, std::min(most, allocation.bytes - skipped), allocation.kind}});
      page = end;
    }
  return ranges;
}

template <typename Value, typename Compute>
std::vector<Value> PagedMemory::for_all_pages(const Compute& compute, CUstream stream) const {
  std::vector<Value> values(pages_);
  const uint64_t at_once = std::min<uint64_t>(most_at_once(sizeof(Value)), pages_);
  const Buffer computed(at_once * sizeof(Value));
  uint64_t waiting = 0;  // pages whose values are on the device
  uint64_t done = 0;
  const auto fetch = [&] {
    KJOULE_CU(cuStreamSynchronize(stream));
    if (waiting > 0)
      KJOULE_CU(cuMemcpyDtoH(values.data() + done, computed.address(), waiting * sizeof(Value)));
    done += std::exchange(waiting, 0);
  };
  for (const Allocation& allocation : allocations_)
    for (uint64_t at = 0; at < allocation.bytes;) {
      const uint64_t bytes = std::min(allocation.bytes - at, (at_once - waiting) * kPageBytes);
      const Allocation part{allocation.address + at, bytes, allocation.kind};
      compute(part, computed.address() + waiting * sizeof(Value));
      waiting += part.pages();
      at += bytes;
      if (waiting == at_once) fetch();
    }
  fetch();
  return values;
}

std::vector<uint64_t> PagedMemory::hashes(CUstream stream) const {
  return for_all_pages<uint64_t>(
      [&](const Allocation& part, CUdeviceptr to) { kernels_.hash(part, to, stream); }, stream);
}

std::vector<NonFinite> PagedMemory::non_finite(CUstream stream) const {
  return for_all_pages<NonFinite>(
      [&](const Allocation& part, CUdeviceptr to) { kernels_.count_non_finite(part, to, stream); }, stream);
}

}  // namespace kjoule::cuda
