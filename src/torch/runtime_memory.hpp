#pragma once
#include <torch/script.h>

#include "recording/replay_call.hpp"

namespace kjoule::child {

/// A copy or memset as the CUDA runtime makes it, of memory of its own; on a machine without a GPU the CPU's.
class RuntimeMemory {
 public:
  /// Throws Error when the runtime cannot be called.
  RuntimeMemory(const ReplayCall& call, c10::Device device);
  /// Does not wait for it.
  void run();

 private:
  at::Tensor to_, from_;  ///< bytes; nothing to copy from for a memset
};

}  // namespace kjoule::child
