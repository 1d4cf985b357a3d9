#pragma once
#include <cuda.h>

#include <functional>

namespace kjoule::cuda {

/// A function that the driver calls on a thread of its own when the device reaches this position in the
/// stream. The function must neither throw nor call CUDA.
struct StreamCall {
  CUstream stream = nullptr;
  std::function<void()> function;
};

/// Puts the function into its stream. The driver may wait until its queue has space, so the caller must not
/// hold a lock that the program's threads need. Returns whether the driver has accepted the function.
bool put_into_stream(StreamCall call);

}  // namespace kjoule::cuda
