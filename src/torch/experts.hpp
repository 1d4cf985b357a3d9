#pragma once
#include <ATen/ATen.h>

namespace kjoule::runner {

/// Multiplies the rows [n, k] of each expert by the weights [experts, k, m] of this expert. The rows of an
/// expert follow each other; `ends` (int32) has the number of the row behind its last one.
at::Tensor multiply_by_experts(const at::Tensor& rows, const at::Tensor& weights, const at::Tensor& ends);

}  // namespace kjoule::runner
