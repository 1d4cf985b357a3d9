#pragma once
#include <string>
#include <vector>

#include "cuda/memory/snapshot.hpp"

namespace kjoule::cuda {

/// The program's memory after its own iteration: images of the pages that the iteration changed. With these
/// images and the snapshot of the beginning, restore() makes the memory as the program left it, so that the
/// program can continue after replays.
class IterationEnd {
 public:
  /// Copies the pages of the program's current memory that differ from the snapshot `begin`. `end` describes
  /// the current memory. Throws Error if there is no space for the copies.
  IterationEnd(const PageKernels& kernels, const Snapshot& begin, const MemoryDigest& end, CUstream stream);

  /// Restores the memory after the program's own iteration. Pinned host memory that the iteration did not
  /// change is not written, because other threads of the program may have changed it since. Returns the pages
  /// that still differ from what the program left: none if the program can continue.
  PageSet restore(const Snapshot& begin, CUstream stream) const;
  /// Describes pages that could not be restored, for the user.
  std::string describe(const PageSet& different) const;

 private:
  std::vector<uint64_t> end_;  ///< hash of each page
  PageSet undefined_;          ///< pages that graphs allocate for themselves, whose contents are undefined
  PageImages changed_;
};

}  // namespace kjoule::cuda
