#pragma once
#include <functional>
#include <vector>

#include "torch/operator.hpp"

namespace kjoule::runner {

/// The known amount of work of one direction: FLOPs, and least number of bytes to read and write.
struct KnownWork {
  std::optional<double> flops, least_bytes;
};

/// Returns an operator as PyTorch's users run it: `make` is the forward, and autograd runs the backward from
/// the results of `make` to the gradients of `inputs`. `make` must make new results each time. The time of
/// backward begins when gradients reach the results and ends when the last input has its gradient, so that it
/// includes neither the loss nor the accumulation of gradients.
Directions differentiate(std::function<std::vector<at::Tensor>()> make, std::vector<at::Tensor> inputs,
                         const KnownWork& forward, const KnownWork& backward);

}  // namespace kjoule::runner
