#pragma once
#include <string>
#include <vector>

#include "cuda/snapshot.hpp"

namespace kjoule::cuda {

/// The program's memory as its own iteration left it: a copy of the pages that the iteration changed. With
/// the snapshot of the begin, that is all the program needs to go on after its memory was used for replays.
class IterationEnd {
 public:
  /// Copies the pages of the program's current memory whose hashes differ from those of the iteration's
  /// begin, `begin`. Pages that the snapshot got later than these hashes are copied, too. `end` describes the
  /// current memory. Throws DeviceError when the device has too little memory.
  IterationEnd(const Snapshot& snapshot, const std::vector<uint64_t>& begin, const MemoryDigest& end,
               const PageKernels& kernels, CUstream stream);

  /// Writes the memory as it was. Pinned memory of the host that the iteration did not change is not written,
  /// because other threads of the program may have changed it since. Returns how many pages are not as the
  /// program left them: 0 if it can go on.
  size_t restore(const Snapshot& snapshot, const PageKernels& kernels, CUstream stream) const;

 private:
  bool is_changed(unsigned page) const { return copy_at_[page] != 0; }

  std::vector<uint64_t> end_;         ///< hash of each page
  std::vector<bool> matters_;         ///< whether the page has defined contents
  std::vector<CUdeviceptr> copy_at_;  ///< address of each page's copy; 0 if the iteration did not change it
  Buffer copies_;
};

}  // namespace kjoule::cuda
