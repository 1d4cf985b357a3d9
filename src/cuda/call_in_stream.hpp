#pragma once
#include <cuda.h>

#include <functional>

namespace kjoule::cuda {

/// Lets the driver call a function on a thread of its own when the device comes to this place of the stream.
/// The function must not throw, nor call CUDA. Throws DeviceError.
void call_in_stream(CUstream stream, std::function<void()> function);

}  // namespace kjoule::cuda
