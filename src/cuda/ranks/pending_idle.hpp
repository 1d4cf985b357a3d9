#pragma once
#include <cuda.h>

#include <chrono>
#include <future>

namespace kjoule::cuda {

/// A wait until the GPU of the current context has done all that the program launched, in a thread of its
/// own, which is left to itself if that never happens.
class PendingIdle {
 public:
  PendingIdle();
  /// Waits for so long, and returns whether the GPU is idle. Throws DeviceError if its work failed.
  bool wait_for(std::chrono::milliseconds time);

 private:
  std::future<CUresult> result_;
};

}  // namespace kjoule::cuda
