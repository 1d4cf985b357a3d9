#pragma once
#include <cstdint>
#include <vector>

#include "cuda/pages.hpp"

namespace kjoule::driver {

/// A copy of all the program's device memory, page by page.
class Snapshot {
 public:
  Snapshot(const PageKernels& kernels, std::vector<inject::Range> ranges, CUstream stream);
  unsigned pages() const { return pages_; }
  uint64_t address_of(unsigned page) const;  ///< in the program's memory
  uint64_t bytes_of(unsigned page) const;    ///< a whole page but for the last of an allocation
  uint64_t copy_of(unsigned page) const;     ///< in the copy
  /// Of the memory as it is; 8 bytes a page.
  void hash_now(CUdeviceptr hashes, CUstream stream) const;
  /// Likewise, see PageKernels::count_non_finite; 8 bytes a page.
  void count_non_finite_now(CUdeviceptr counts, CUstream stream) const;
  /// Restores all of the memory.
  void restore(CUstream stream) const;

 private:
  size_t range_of(unsigned page) const;

  const PageKernels& kernels_;
  std::vector<inject::Range> ranges_;
  std::vector<uint64_t> first_;  ///< number of each range's first page
  unsigned pages_ = 0;
  Buffer copy_;
};

/// The hash of each page of the memory as it is when all before in the stream is done. Waits for it.
std::vector<uint64_t> hashes_now(const Snapshot& snapshot, CUstream stream);

/// What the program's memory held at some moment, page by page.
struct MemoryMarks {
  /// Of the memory as it is.
  MemoryMarks(const Snapshot& snapshot, CUstream stream);
  struct NonFinite {
    uint32_t single, half;
  };
  std::vector<uint64_t> hashes;
  std::vector<NonFinite> non_finite;
};

}  // namespace kjoule::driver
