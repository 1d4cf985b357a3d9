#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/snapshot.hpp"
#include "device/device.hpp"

namespace kjoule::driver {

/// The memory in which the iteration begins, and the pages that do not hold the same again when it has been
/// played to its end. Memory that a launch writes and a later one returns to its contents is not among them.
class State {
 public:
  /// `end` is the program's own memory after the iteration that it ran itself. Leaves the memory as in the
  /// snapshot. Throws DeviceError, naming the launch, when one faults.
  State(const PageKernels& kernels, Snapshot snapshot, const std::vector<Call>& calls, const MemoryMarks& end,
        CUstream stream);
  const Snapshot& snapshot() const { return snapshot_; }
  /// Issues the copies that restore the memory after whole iterations. All tracks share their list, which
  /// lies on the device.
  void issue_restore(CUstream stream) const;
  const PageCopies& restoring_copies() const { return restoring_copies_; }
  /// What replay made of the launches' outputs.
  const Verification& verification() const { return verification_; }

 private:
  const PageKernels& kernels_;
  Snapshot snapshot_;
  PageCopies restoring_copies_;  ///< of the pages with a net change, ascending
  Buffer restoring_words_;       ///< the same on the device
  Verification verification_;
};

}  // namespace kjoule::driver
