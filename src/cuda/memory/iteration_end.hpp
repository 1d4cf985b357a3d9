#pragma once
#include <vector>

#include "cuda/memory/snapshot.hpp"

namespace kjoule::cuda {

/// The program's memory as its own iteration left it: images of the pages that the iteration changed. With
/// the snapshot of the begin, that is all the program needs to go on after its memory was used for replays.
class IterationEnd {
 public:
  /// Copies the pages of the program's current memory that differ from those of the iteration's begin. `end`
  /// describes the current memory. Throws Error when there is no room.
  IterationEnd(const PageKernels& kernels, const Snapshot& begin, const MemoryDigest& end, CUstream stream);

  /// Writes the memory as it was. Pinned memory of the host that the iteration did not change is not written,
  /// because other threads of the program may have changed it since. Returns how many pages are not as the
  /// program left them: 0 if it can go on.
  size_t restore(const Snapshot& begin, CUstream stream) const;

 private:
  std::vector<uint64_t> end_;  ///< hash of each page
  PageSet undefined_;          ///< pages whose contents mean nothing
  PageImages changed_;
};

}  // namespace kjoule::cuda
