#pragma once
#include <functional>
#include <vector>

#include "torch/operator.hpp"

namespace kjoule::runner {

/// The known amount of work of one direction: FLOPs and least bytes to read and write.
struct KnownWork {
  std::optional<double> flops, least_bytes;
};

/// Returns an operator as PyTorch's users run it: forward by `make`, backward by autograd from the results of
/// `make` to the gradients of `inputs`. `make` must make new results each time. Backward is timed from the
/// moment at which gradients reach the results until the last input has its gradient, so the loss and the
/// accumulation of gradients are not included.
Directions differentiate(std::function<std::vector<at::Tensor>()> make, std::vector<at::Tensor> inputs,
                         const KnownWork& forward, const KnownWork& backward);

}  // namespace kjoule::runner
