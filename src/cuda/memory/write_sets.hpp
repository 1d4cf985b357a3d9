#pragma once
#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/memory/memory_state.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// The pages that each launch of the iteration changes, with their contents after that launch. To find them,
/// the launches are replayed one by one from the snapshot, and after each launch all pages that have images
/// are compared. Therefore MemoryState::save_written() must have been called.
class WriteSets {
 public:
  /// The memory is restored to the snapshot afterwards.
  WriteSets(const PageKernels& kernels, MemoryState& state, const std::vector<Call>& calls, CUstream stream);
  /// Returns the copies that write the pages as the launch leaves them. These copies replace a launch that is
  /// omitted.
  const PageCopies& outputs_of(LaunchIndex launch) const { return outputs_.at(launch); }

 private:
  std::vector<PageCopies> outputs_;
  std::vector<Buffer> copies_;  ///< one buffer for each launch
};

}  // namespace kjoule::cuda
