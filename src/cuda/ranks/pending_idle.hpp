#pragma once
#include <cuda.h>

#include <chrono>
#include <future>

namespace kjoule::cuda {

/// A wait, in a thread of its own, until the GPU of the current context has completed all work that the
/// program launched. If that never happens, the thread is abandoned.
class PendingIdle {
 public:
  PendingIdle();
  /// Waits for `time` at most, and returns whether the GPU has completed all work. Throws DeviceError if work
  /// on the GPU failed.
  bool wait_for(std::chrono::milliseconds time);

 private:
  std::future<CUresult> result_;
};

}  // namespace kjoule::cuda
