#pragma once
#include <cstdint>

namespace kjoule::runner {

/// The function at::cuda::sleep of torch's CUDA library. It launches a kernel of one thread that spins for a
/// number of cycles, on the current stream.
using Spin = void (*)(int64_t cycles);
/// Returns the function. Throws Error if this torch does not contain it.
Spin find_spin();

/// Number of cycles of a spin: about 50 us at 2 GHz, which is longer than libtorch needs to launch a first
/// kernel.
inline constexpr int64_t kSpinCycles = 100'000;

}  // namespace kjoule::runner
