#pragma once
#include <vector>

#include "cuda/driver/allocations.hpp"
#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

/// The memory that previous iterations of the program have changed, by address, because allocations may come
/// and go between iterations. It predicts which pages the next iteration changes.
class LearntPages {
 public:
  void add(const PagedMemory& memory, const PageSet& changed);
  /// Returns the pages that previous iterations changed, and `neighbours` pages on each side of them, because
  /// buffers that are filled step by step continue there.
  PageSet predict(const PagedMemory& memory, unsigned neighbours) const;
  /// Returns the number of iterations that were added.
  int iterations() const { return iterations_; }

 private:
  std::vector<Allocation> changed_;  ///< disjoint and sorted
  int iterations_ = 0;
};

}  // namespace kjoule::cuda
