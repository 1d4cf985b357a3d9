#pragma once
#include <cstdint>
#include <vector>

#include "cuda/memory/page_images.hpp"

namespace kjoule::cuda {

/// The program's memory at the beginning of the iteration: hashes of all pages, and images of the pages that
/// replays may change. The hashes show whether the other pages keep their contents.
class Snapshot {
 public:
  Snapshot(const PageKernels& kernels, const std::vector<Allocation>& allocations)
      : kernels_(kernels), memory_(kernels, allocations), images_(kernels) {}
  /// Copies these pages and hashes all pages. Call it once, at the beginning of the iteration. If there is no
  /// space for the copies, throws Error; the message calls the pages `what`.
  void take(const PageSet& pages, const char* what, CUstream stream);
  /// Adds memory that was allocated since the snapshot, without images or hashes. Returns its pages.
  PageSet add(const std::vector<Allocation>& ranges) { return memory_.add(ranges); }
  /// Returns the pages whose hashes differ from `now`, among the pages that existed when the snapshot was
  /// taken.
  PageSet changed(const std::vector<uint64_t>& now) const;
  /// Adds images of `changed` pages whose contents at the beginning still exist in another page
  /// (find_twins()). `now` contains the current hashes.
  void save_from_twins(const PageSet& changed, const std::vector<uint64_t>& now, CUstream stream);
  /// Treats the current contents of these pages as their contents at the beginning, which are not known.
  /// `now` contains the current hashes.
  void adopt(const PageSet& pages, const std::vector<uint64_t>& now, CUstream stream);
  /// Replaces all hashes by `now`, the hashes of the restored memory, because other threads of the program
  /// may have written memory since the snapshot was taken.
  void retake_hashes(const std::vector<uint64_t>& now) { hashes_ = now; }

  const PagedMemory& memory() const { return memory_; }
  const PageImages& images() const { return images_; }
  const std::vector<uint64_t>& hashes() const { return hashes_; }
  /// Returns the pages that have no image.
  PageSet unsaved() const { return subtract(PageSet::range(0, memory_.pages()), images_.pages()); }
  /// Restores all pages that have images.
  void restore(CUstream stream) const { images_.restore(stream); }

 private:
  const PageKernels& kernels_;
  PagedMemory memory_;
  PageImages images_;
  std::vector<uint64_t> hashes_;
};

/// The hashes and the numbers of non-finite values of all pages of the program's memory at one point in time.
struct MemoryDigest {
  /// Reads the program's current memory, after waiting for all previous work in the stream.
  MemoryDigest(const PagedMemory& memory, CUstream stream)
      : hashes(memory.hashes(stream)), non_finite(memory.non_finite(stream)) {}
  /// Returns whether graphs allocate any of these bytes for themselves. The contents of such memory are
  /// undefined.
  bool is_undefined(uint64_t address, uint64_t bytes) const;
  std::vector<uint64_t> hashes;
  std::vector<NonFinite> non_finite;
  std::vector<Allocation> of_graphs;  ///< memory that graphs allocate for themselves; disjoint and sorted
};

}  // namespace kjoule::cuda
