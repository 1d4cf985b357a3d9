#pragma once
#include <cstdint>
#include <vector>

#include "cuda/pages.hpp"

namespace kjoule::cuda {

/// A copy of all the program's device memory at the beginning of the iteration. Pages are numbered across all
/// allocations.
class Snapshot {
 public:
  Snapshot(const PageKernels& kernels, const std::vector<Allocation>& allocations, CUstream stream);
  /// Copies what these ranges, which may overlap, contain besides the allocations so far. What a replay finds
  /// there at its beginning does not matter: the program found any values in new memory.
  void add_new(const std::vector<Allocation>& ranges, CUstream stream);
  unsigned pages() const { return pages_; }
  uint64_t address_of(unsigned page) const;  ///< in the program's memory
  uint64_t bytes_of(unsigned page) const;    ///< a whole page, except for the last one of an allocation
  uint64_t copy_of(unsigned page) const;     ///< address of the page's copy
  bool is_of_host(unsigned page) const;      ///< whether it is pinned memory of the host
  /// Writes one hash (8 bytes) for each page of the program's current memory to `hashes`.
  void hash_now(CUdeviceptr hashes, CUstream stream) const;
  /// Writes the counts of non-finite values (8 bytes) for each page of the program's current memory to
  /// `counts`, as PageKernels::count_non_finite.
  void count_non_finite_now(CUdeviceptr counts, CUstream stream) const;
  /// Restores all memory.
  void restore(CUstream stream) const;

 private:
  void add(const std::vector<Allocation>& allocations, CUstream stream);
  size_t allocation_of(unsigned page) const;

  const PageKernels& kernels_;
  std::vector<Allocation> allocations_;
  std::vector<uint64_t> first_;    ///< number of each allocation's first page
  std::vector<uint64_t> copy_at_;  ///< address of each allocation's copy
  unsigned pages_ = 0;
  std::vector<Buffer> copies_;
};

/// Returns one hash for each page of the program's memory, after waiting for all previous work in the stream.
std::vector<uint64_t> hashes_now(const Snapshot& snapshot, CUstream stream);

/// The hashes and the numbers of non-finite values of all pages of the program's memory at one moment.
struct MemoryDigest {
  /// Reads the program's current memory, after waiting for all previous work in the stream.
  MemoryDigest(const Snapshot& snapshot, CUstream stream);
  /// Returns whether graphs allocate any of these bytes for themselves, so that their contents mean nothing.
  bool is_undefined(uint64_t address, uint64_t bytes) const;
  struct NonFinite {
    uint32_t single, half;
  };
  std::vector<uint64_t> hashes;
  std::vector<NonFinite> non_finite;
  std::vector<Allocation> of_graphs;  ///< disjoint and sorted
};

}  // namespace kjoule::cuda
