#pragma once
#include <cstdint>

namespace kjoule::child {

/// at::cuda::sleep, which lies in torch's CUDA half: a kernel of one thread that spins for so many cycles, on
/// the current stream.
using Spin = void (*)(int64_t cycles);
/// Throws Error where this torch has none.
Spin find_spin();

/// About 50 us at 2 GHz: longer than libtorch takes to launch a first kernel.
inline constexpr int64_t kSpinCycles = 100'000;

}  // namespace kjoule::child
