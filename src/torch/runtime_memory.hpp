#pragma once
#include <torch/script.h>

#include "recording/replay_call.hpp"

namespace kjoule::runner {

/// A copy or memset by the CUDA runtime, on its own memory. On a machine without a GPU, the CPU performs it.
class RuntimeMemory {
 public:
  /// Allocates the memory. Throws Error if the runtime cannot be called.
  RuntimeMemory(const ReplayCall& call, c10::Device device);
  /// Starts the copy or memset without waiting for its end.
  void run();

 private:
  at::Tensor to_, from_;  ///< memory in bytes; a memset has no `from_`
};

}  // namespace kjoule::runner
