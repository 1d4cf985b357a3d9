#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/snapshot.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// The memory at the beginning of the iteration, and the list of pages that have a net change after whole
/// iterations. Pages that a launch changes and a later launch of the iteration changes back have no net
/// change.
class MemoryState {
 public:
  /// `end` describes the memory after the program's own run of the iteration. The memory is restored to the
  /// snapshot afterwards. Throws DeviceError, with the name of the launch, when a launch faults.
  MemoryState(const PageKernels& kernels, Snapshot snapshot, const std::vector<Call>& calls,
              const MemoryDigest& end, CUstream stream);
  const Snapshot& snapshot() const { return snapshot_; }
  /// Issues the copies that restore memory after whole iterations. All tracks share one list of copies on the
  /// device.
  void issue_restore(CUstream stream) const;
  const PageCopies& restoring_copies() const { return restoring_copies_; }
  /// Returns the comparison of the replayed launches' outputs with the program's own.
  const Verification& verification() const { return verification_; }

 private:
  const PageKernels& kernels_;
  Snapshot snapshot_;
  PageCopies restoring_copies_;  ///< copies of the pages with a net change, ascending
  Buffer restoring_words_;       ///< restoring_copies_.words() on the device
  Verification verification_;
};

}  // namespace kjoule::cuda
