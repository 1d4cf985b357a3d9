#pragma once
#include <cstddef>

namespace kjoule {

/// Dimension limit: the most dimensions of a tensor, which is that of PyTorch's kernels.
constexpr size_t kDimensionLimit = 64;

}  // namespace kjoule
