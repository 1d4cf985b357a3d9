#include "cuda/snapshot.hpp"

#include <algorithm>
#include <utility>

#include "cuda/check.hpp"

namespace kjoule::cuda {

Snapshot::Snapshot(const PageKernels& kernels, const std::vector<Allocation>& allocations, CUstream stream)
    : kernels_(kernels) {
  add(allocations, stream);
}

void Snapshot::add_new(const std::vector<Allocation>& ranges, CUstream stream) {
  const std::vector<Allocation> fresh = subtract(merge_overlaps(ranges), merge_overlaps(allocations_));
  if (!fresh.empty()) add(fresh, stream);
}

void Snapshot::add(const std::vector<Allocation>& allocations, CUstream stream) {
  uint64_t bytes = 0;
  for (const Allocation& allocation : allocations) bytes += allocation.pages() * kPageBytes;
  uint64_t at = copies_.emplace_back(bytes).address();
  for (const Allocation& allocation : allocations) {
    kernels_.copy_run(at, allocation.address, allocation.bytes, stream);
    allocations_.push_back(allocation);
    first_.push_back(pages_);
    copy_at_.push_back(at);
    pages_ += static_cast<unsigned>(allocation.pages());
    at += allocation.pages() * kPageBytes;
  }
  KJOULE_CU(cuStreamSynchronize(stream));
}

size_t Snapshot::allocation_of(unsigned page) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), uint64_t{page});
  return static_cast<size_t>(next - first_.begin()) - 1;
}

uint64_t Snapshot::address_of(unsigned page) const {
  const size_t allocation = allocation_of(page);
  return allocations_[allocation].address + (page - first_[allocation]) * kPageBytes;
}

uint64_t Snapshot::bytes_of(unsigned page) const {
  const size_t allocation = allocation_of(page);
  return std::min<uint64_t>(kPageBytes,
                            allocations_[allocation].bytes - (page - first_[allocation]) * kPageBytes);
}

uint64_t Snapshot::copy_of(unsigned page) const {
  const size_t allocation = allocation_of(page);
  return copy_at_[allocation] + (page - first_[allocation]) * kPageBytes;
}

bool Snapshot::is_of_host(unsigned page) const {
  return allocations_[allocation_of(page)].kind == MemoryKind::host;
}

void Snapshot::hash_now(CUdeviceptr hashes, CUstream stream) const {
  for (size_t i = 0; i < allocations_.size(); ++i)
    kernels_.hash(allocations_[i], hashes + first_[i] * sizeof(uint64_t), stream);
}

void Snapshot::count_non_finite_now(CUdeviceptr counts, CUstream stream) const {
  for (size_t i = 0; i < allocations_.size(); ++i)
    kernels_.count_non_finite(allocations_[i], counts + first_[i] * sizeof(MemoryDigest::NonFinite), stream);
}

void Snapshot::restore(CUstream stream) const {
  for (size_t i = 0; i < allocations_.size(); ++i)
    kernels_.copy_run(allocations_[i].address, copy_at_[i], allocations_[i].bytes, stream);
}

std::vector<uint64_t> hashes_now(const Snapshot& snapshot, CUstream stream) {
  const Buffer hashed(snapshot.pages() * sizeof(uint64_t));
  snapshot.hash_now(hashed.address(), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
  return read_back<uint64_t>(hashed, snapshot.pages());
}

MemoryDigest::MemoryDigest(const Snapshot& snapshot, CUstream stream) : hashes(hashes_now(snapshot, stream)) {
  const Buffer counted(snapshot.pages() * sizeof(NonFinite));
  snapshot.count_non_finite_now(counted.address(), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
  non_finite = read_back<NonFinite>(counted, snapshot.pages());
}

bool MemoryDigest::is_undefined(uint64_t address, uint64_t bytes) const {
  const auto next = std::ranges::upper_bound(of_graphs, address, {}, &Allocation::end);
  return next != of_graphs.end() && next->address < address + bytes;
}

}  // namespace kjoule::cuda
