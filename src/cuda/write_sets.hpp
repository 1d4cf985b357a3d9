#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/snapshot.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// The pages that each launch of the iteration changes, with the contents that it leaves there. They are
/// found by replaying the launches one by one from the snapshot and comparing all pages after each launch.
class WriteSets {
 public:
  /// The memory is restored to the snapshot afterwards.
  WriteSets(const PageKernels& kernels, const Snapshot& snapshot, const std::vector<Call>& calls,
            CUstream stream);
  /// Returns the copies that write what the launch leaves, whether the launch was replayed or omitted.
  const PageCopies& outputs_of(LaunchIndex launch) const { return outputs_.at(launch); }

 private:
  uint64_t allocate_page();

  std::vector<PageCopies> outputs_;
  std::vector<Buffer> arena_;
  size_t arena_used_ = 0;  ///< bytes used in the last buffer of arena_
};

}  // namespace kjoule::cuda
