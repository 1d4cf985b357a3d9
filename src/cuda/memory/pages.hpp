#pragma once
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "cuda/driver/allocations.hpp"
#include "cuda/driver/buffer.hpp"
#include "cuda/driver/module.hpp"

namespace kjoule::cuda {

/// A list of copies of pages or of runs of pages. The three vectors have the same length.
struct PageCopies {
  std::vector<uint64_t> to;
  std::vector<uint64_t> from;
  std::vector<uint64_t> bytes;
  /// Appends a copy. If source and target continue those of the last copy, both are joined, up to 65536
  /// bytes.
  void add(uint64_t target, uint64_t source, uint64_t size);
  /// Returns `to`, `from` and `bytes`, concatenated as the device kernels expect them.
  std::vector<uint64_t> words() const;
};

/// A list of pages. The two vectors have the same length.
struct PageList {
  std::vector<uint64_t> address;
  std::vector<uint64_t> bytes;
  void add(uint64_t at, uint64_t size) {
    address.push_back(at);
    bytes.push_back(size);
  }
  /// Returns `address` and `bytes`, concatenated as the device kernels expect them.
  std::vector<uint64_t> words() const;
};

/// The kernels of pages.cu, loaded into the current context.
class PageKernels {
 public:
  PageKernels();
  void hash(const Allocation& allocation, CUdeviceptr hashes, CUstream stream) const;
  /// Writes one hash for each listed page. `words` is the device address of PageList::words().
  void hash_listed(CUdeviceptr words, unsigned pages, CUdeviceptr hashes, CUstream stream) const;
  /// Writes two 32-bit counts for each page: values that are infinite or NaN when the page is read as 32-bit
  /// floats or bfloat16, and when it is read as 16-bit floats.
  void count_non_finite(const Allocation& allocation, CUdeviceptr counts, CUstream stream) const;
  /// Writes the numbers of the pages whose hashes differ to `changed`, which must have space for all pages,
  /// and makes `before` equal to `after`. `count` is one 32-bit word that must be 0; it receives the number
  /// of these pages.
  void find_changed(CUdeviceptr before, CUdeviceptr after, unsigned pages, CUdeviceptr changed,
                    CUdeviceptr count, CUstream stream) const;
  /// Hashes the listed pages. If a hash differs from that in `hashes`, stores the new hash there and `mark`
  /// in `marks` (32 bits per page). `words` is the device address of PageList::words().
  void mark_changed(CUdeviceptr words, unsigned pages, unsigned mark, CUdeviceptr hashes, CUdeviceptr marks,
                    CUstream stream) const;
  /// Performs the copies of a list. `words` is the device address of PageCopies::words(), `pages` the number
  /// of copies.
  void copy(CUdeviceptr words, unsigned pages, CUstream stream) const;
  /// Performs these copies and waits for them.
  void copy_and_wait(const PageCopies& copies, CUstream stream) const;
  void copy_run(CUdeviceptr to, CUdeviceptr from, uint64_t bytes, CUstream stream) const;

 private:
  Module module_;
  CUfunction hash_, hash_listed_, count_, changed_, mark_, copy_, copy_run_;
};

}  // namespace kjoule::cuda
