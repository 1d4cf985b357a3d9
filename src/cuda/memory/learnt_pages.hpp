#pragma once
#include <vector>

#include "cuda/driver/allocations.hpp"
#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

/// The memory that previous iterations of the program have changed, from which this class predicts the pages
/// that the next iteration changes. The memory is stored by address, because the numbers of pages change when
/// the program allocates or frees memory between iterations.
class LearntPages {
 public:
  void add(const PagedMemory& memory, const PageSet& changed);
  /// Returns the pages that previous iterations changed, and `neighbours` pages before and after each of
  /// these pages, because a program that fills a buffer step by step changes a neighbouring page next.
  PageSet predict(const PagedMemory& memory, unsigned neighbours) const;
  /// Returns the number of iterations that were added.
  int iterations() const { return iterations_; }

 private:
  std::vector<Allocation> changed_;  ///< disjoint and sorted
  int iterations_ = 0;
};

}  // namespace kjoule::cuda
