#include "cuda/iteration_end.hpp"

namespace kjoule::cuda {

IterationEnd::IterationEnd(const Snapshot& snapshot, const std::vector<uint64_t>& begin,
                           const MemoryDigest& end, const PageKernels& kernels, CUstream stream)
    : end_(end.hashes), copy_at_(snapshot.pages(), 0) {
  std::vector<unsigned> changed;
  for (unsigned page = 0; page < snapshot.pages(); ++page) {
    matters_.push_back(!end.is_undefined(snapshot.address_of(page), snapshot.bytes_of(page)));
    if (matters_[page] && (page >= begin.size() || begin[page] != end_[page])) changed.push_back(page);
  }
  copies_ = Buffer(changed.size() * kPageBytes);
  PageCopies copies;
  CUdeviceptr at = copies_.address();
  for (const unsigned page : changed) {
    copies.add(at, snapshot.address_of(page), snapshot.bytes_of(page));
    copy_at_[page] = at;
    at += kPageBytes;
  }
  kernels.copy_and_wait(copies, stream);
}

size_t IterationEnd::restore(const Snapshot& snapshot, const PageKernels& kernels, CUstream stream) const {
  const std::vector<uint64_t> now = hashes_now(snapshot, stream);
  PageCopies copies;
  std::vector<bool> belongs_to_others(snapshot.pages());
  for (unsigned page = 0; page < snapshot.pages(); ++page) {
    if (!matters_[page] || now[page] == end_[page]) continue;
    belongs_to_others[page] = snapshot.is_of_host(page) && !is_changed(page);
    if (belongs_to_others[page]) continue;
    copies.add(snapshot.address_of(page), is_changed(page) ? copy_at_[page] : snapshot.copy_of(page),
               snapshot.bytes_of(page));
  }
  kernels.copy_and_wait(copies, stream);
  const std::vector<uint64_t> restored = hashes_now(snapshot, stream);
  size_t different = 0;
  for (unsigned page = 0; page < snapshot.pages(); ++page)
    if (matters_[page] && !belongs_to_others[page] && restored[page] != end_[page]) ++different;
  return different;
}

}  // namespace kjoule::cuda
