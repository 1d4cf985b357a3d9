#pragma once
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "cuda/memory/page_set.hpp"
#include "cuda/memory/pages.hpp"

namespace kjoule::cuda {

/// The numbers of infinities and NaNs in a page: one count when the page is read as 32-bit floats or
/// bfloat16, and one when it is read as 16-bit floats.
struct NonFinite {
  uint32_t single = 0;
  uint32_t half = 0;
};

/// The memory that launches may change, divided into pages that are numbered across all allocations.
class PagedMemory {
 public:
  PagedMemory(const PageKernels& kernels, const std::vector<Allocation>& allocations);
  /// Adds the parts of these ranges that are not in the memory yet. The ranges may overlap. Returns the new
  /// pages.
  PageSet add(const std::vector<Allocation>& ranges);
  unsigned pages() const { return pages_; }
  uint64_t address_of(unsigned page) const;
  uint64_t bytes_of(unsigned page) const;  ///< 4096, or less for the last page of an allocation
  uint64_t bytes_of(const PageSet& pages) const;
  /// Returns whether the host may write the page without a CUDA call, because it is pinned or managed memory.
  bool is_open_to_host(unsigned page) const;
  bool is_of_host(unsigned page) const;  ///< whether it is pinned host memory
  /// Returns the pages that these disjoint, sorted ranges touch.
  PageSet pages_within(const std::vector<Allocation>& ranges) const;
  /// Pages of one allocation that follow each other.
  struct Range {
    unsigned first = 0;  ///< number of the first page
    Allocation memory;
  };
  /// Returns the ranges of these pages, sorted by page number.
  std::vector<Range> ranges_of(const PageSet& pages) const;
  /// Returns one hash for each page of the current memory. Waits for all previous work in the stream. The
  /// device memory that this needs does not grow with the number of pages.
  std::vector<uint64_t> hashes(CUstream stream) const;
  /// Counts the NaNs and infinities in each page of the current memory. Waits and uses device memory as
  /// hashes() does.
  std::vector<NonFinite> non_finite(CUstream stream) const;

 private:
  void append(const Allocation& allocation);
  size_t allocation_of(unsigned page) const;
  template <typename Value, typename Compute>
  std::vector<Value> for_all_pages(const Compute& compute, CUstream stream) const;

  const PageKernels& kernels_;
  std::vector<Allocation> allocations_;
  std::vector<unsigned> first_;  ///< number of each allocation's first page
  unsigned pages_ = 0;
};

}  // namespace kjoule::cuda
