#pragma once
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "cuda/buffer.hpp"
#include "cuda/module.hpp"
#include "cuda/ranges.hpp"

namespace kjoule::driver {

/// Copies of pages and of runs of pages: lists of equal length.
struct PageCopies {
  std::vector<uint64_t> to;
  std::vector<uint64_t> from;
  std::vector<uint64_t> bytes;
  /// Joined to the last one where both ends continue it.
  void add(uint64_t target, uint64_t source, uint64_t size);
  /// One list after another, as the device gets them.
  std::vector<uint64_t> words() const;
};

/// Pages by address: lists of equal length.
struct PageList {
  std::vector<uint64_t> address;
  std::vector<uint64_t> bytes;
  /// One list after the other, as the device gets them.
  std::vector<uint64_t> words() const;
};

/// The kernels of pages.cu, loaded into the current context.
class PageKernels {
 public:
  PageKernels();
  void hash(const inject::Range& range, CUdeviceptr hashes, CUstream stream) const;
  /// Two 32-bit counts for each page: numbers that would be infinite or none, as 32-bit or bfloat16 ones and
  /// as 16-bit ones.
  void count_non_finite(const inject::Range& range, CUdeviceptr counts, CUstream stream) const;
  /// `changed` has room for all pages, `count` is one zeroed 32-bit word.
  void changed(CUdeviceptr before, CUdeviceptr after, unsigned pages, CUdeviceptr changed, CUdeviceptr count,
               CUstream stream) const;
  /// Of each page of a list whose hash is not the one in `hashes` any more: stores the new hash there, and
  /// `mark` in `marks`, which has 32 bits for each page. `words` is where PageList::words() lie on the
  /// device.
  void mark_changed(CUdeviceptr words, unsigned pages, unsigned mark, CUdeviceptr hashes, CUdeviceptr marks,
                    CUstream stream) const;
  /// `words` is where PageCopies::words() lie on the device.
  void copy(CUdeviceptr words, unsigned pages, CUstream stream) const;
  void copy_run(CUdeviceptr to, CUdeviceptr from, uint64_t bytes, CUstream stream) const;

 private:
  Module module_;
  CUfunction hash_, count_, changed_, mark_, copy_, copy_run_;
};

}  // namespace kjoule::driver
