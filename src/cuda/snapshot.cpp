#include "cuda/snapshot.hpp"

#include <algorithm>
#include <utility>

#include "cuda/check.hpp"

namespace kjoule::driver {

Snapshot::Snapshot(const PageKernels& kernels, std::vector<inject::Range> ranges, CUstream stream)
    : kernels_(kernels), ranges_(std::move(ranges)) {
  for (const inject::Range& range : ranges_) {
    first_.push_back(pages_);
    pages_ += static_cast<unsigned>(range.pages());
  }
  copy_ = Buffer(pages_ * inject::kPageBytes);
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.copy_run(copy_.address() + first_[r] * inject::kPageBytes, ranges_[r].address, ranges_[r].bytes,
                      stream);
  KJOULE_CU(cuStreamSynchronize(stream));
}

size_t Snapshot::range_of(unsigned page) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), uint64_t{page});
  return static_cast<size_t>(next - first_.begin()) - 1;
}

uint64_t Snapshot::address_of(unsigned page) const {
  const size_t range = range_of(page);
  return ranges_[range].address + (page - first_[range]) * inject::kPageBytes;
}

uint64_t Snapshot::bytes_of(unsigned page) const {
  const size_t range = range_of(page);
  return std::min<uint64_t>(inject::kPageBytes,
                            ranges_[range].bytes - (page - first_[range]) * inject::kPageBytes);
}

uint64_t Snapshot::copy_of(unsigned page) const {
  return copy_.address() + page * inject::kPageBytes;
}

void Snapshot::hash_now(CUdeviceptr hashes, CUstream stream) const {
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.hash(ranges_[r], hashes + first_[r] * sizeof(uint64_t), stream);
}

void Snapshot::count_non_finite_now(CUdeviceptr counts, CUstream stream) const {
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.count_non_finite(ranges_[r], counts + first_[r] * sizeof(MemoryMarks::NonFinite), stream);
}

void Snapshot::restore(CUstream stream) const {
  for (size_t r = 0; r < ranges_.size(); ++r)
    kernels_.copy_run(ranges_[r].address, copy_.address() + first_[r] * inject::kPageBytes, ranges_[r].bytes,
                      stream);
}

std::vector<uint64_t> hashes_now(const Snapshot& snapshot, CUstream stream) {
  const Buffer hashed(snapshot.pages() * sizeof(uint64_t));
  snapshot.hash_now(hashed.address(), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
  return read_back<uint64_t>(hashed, snapshot.pages());
}

MemoryMarks::MemoryMarks(const Snapshot& snapshot, CUstream stream) : hashes(hashes_now(snapshot, stream)) {
  const Buffer counted(snapshot.pages() * sizeof(NonFinite));
  snapshot.count_non_finite_now(counted.address(), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
  non_finite = read_back<NonFinite>(counted, snapshot.pages());
}

}  // namespace kjoule::driver
