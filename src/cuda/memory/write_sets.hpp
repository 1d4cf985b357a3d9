#pragma once
#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/memory/memory_state.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// The pages that each launch of the iteration changes, with the contents that it leaves there. They are
/// found by replaying the launches one by one from the snapshot and comparing all pages that have images
/// after each launch: so MemoryState::save_written() must have been called.
class WriteSets {
 public:
  /// The memory is restored to the snapshot afterwards.
  WriteSets(const PageKernels& kernels, MemoryState& state, const std::vector<Call>& calls, CUstream stream);
  /// Returns the copies that write what the launch leaves, whether the launch was replayed or omitted.
  const PageCopies& outputs_of(LaunchIndex launch) const { return outputs_.at(launch); }

 private:
  std::vector<PageCopies> outputs_;
  std::vector<Buffer> copies_;  ///< of each launch
};

}  // namespace kjoule::cuda
