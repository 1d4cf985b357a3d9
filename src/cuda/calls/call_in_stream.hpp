#pragma once
#include <cuda.h>

#include <functional>

namespace kjoule::cuda {

/// A function that the driver calls, on a thread of its own, when the device comes to a place of the stream.
/// It must not throw, nor call CUDA.
struct StreamCall {
  CUstream stream = nullptr;
  std::function<void()> function;
};

/// Puts it into its stream. May wait for room there, so that no lock must be held which the program's threads
/// need. Returns whether the driver has taken it.
bool put_into_stream(StreamCall call);

}  // namespace kjoule::cuda
