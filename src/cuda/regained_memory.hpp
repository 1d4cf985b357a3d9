#pragma once
#include <cuda.h>

#include <vector>

#include "cuda/allocations.hpp"

namespace kjoule::cuda {

/// Device memory that the program has freed, allocated again at the same addresses. Its contents are
/// undefined. It is freed when the object is destroyed.
///
/// A range is first allocated as the program allocated it, because the driver often returns memory that was
/// freed before. Otherwise new memory is mapped at its address.
class RegainedMemory {
 public:
  /// `freed` must be disjoint. Throws Error, with the size of a range, when its address is in use.
  explicit RegainedMemory(std::vector<Allocation> freed);
  ~RegainedMemory();
  RegainedMemory(const RegainedMemory&) = delete;
  RegainedMemory& operator=(const RegainedMemory&) = delete;

 private:
  struct Mapping {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    CUmemGenericAllocationHandle handle = 0;
    bool is_reserved_here = false;  ///< whether the addresses were reserved here, not by the program
  };
  /// Allocates memory until ranges of `missing` are returned, and removes these from it.
  void allocate(std::vector<Allocation>& missing);
  /// Maps memory at a range. Returns false if that is not possible.
  bool map(const Allocation& range);
  void free_all();

  std::vector<CUdeviceptr> allocated_;
  std::vector<Mapping> mapped_;
};

}  // namespace kjoule::cuda
