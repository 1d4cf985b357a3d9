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
  /// The copies that restore the memory after whole iterations.
  PageCopies restore() const;
  /// What replay made of the launches' outputs.
  const Verification& verification() const { return verification_; }

 private:
  Snapshot snapshot_;
  std::vector<unsigned> changed_;  ///< pages with a net change, ascending
  Verification verification_;
};

}  // namespace kjoule::driver
