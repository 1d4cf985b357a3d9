#pragma once
#include <functional>
#include <vector>

#include "torch/operator.hpp"

namespace kjoule::child {

/// What is known of a direction's work.
struct KnownWork {
  std::optional<double> flops, least_bytes;
};

/// An operator as PyTorch's users run it: forward by `make`, backward by autograd from what it made to
/// `inputs`, which it is given gradients of. `make` must make all anew each time. Backward is timed from the
/// moment at which gradients reach the outputs to the one at which the last input has its own: the loss and
/// what gathers gradients are outside.
Directions differentiated(std::function<std::vector<at::Tensor>()> make, std::vector<at::Tensor> inputs,
                          const KnownWork& forward, const KnownWork& backward);

}  // namespace kjoule::child
