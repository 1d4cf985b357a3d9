#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/snapshot.hpp"
#include "device/device.hpp"

namespace kjoule::driver {

/// The pages that each launch of the iteration changes, and the contents that it leaves there. Found by
/// playing the launches one by one from the snapshot and comparing all pages after each.
class WriteSets {
 public:
  /// Leaves the memory as in the snapshot.
  WriteSets(const PageKernels& kernels, const Snapshot& snapshot, const std::vector<Call>& calls,
            CUstream stream);
  /// The copies that leave what the launch changed, where it was left out or was played.
  const PageCopies& left_by(LaunchIndex launch) const { return left_.at(launch); }

 private:
  uint64_t room_for_page();

  std::vector<PageCopies> left_;
  std::vector<Buffer> arena_;
  size_t arena_used_ = 0;  ///< of its last buffer
};

}  // namespace kjoule::driver
