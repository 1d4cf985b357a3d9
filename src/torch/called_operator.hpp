#pragma once
#include "recording/operator_call.hpp"
#include "torch/operator.hpp"

namespace kjoule::child {

/// An ATen operator as one that is sampled: forward, and, where it is wanted, the backward that autograd has
/// for it. Throws Error when there is no such operator, or it has no backward.
Directions called_operator(const OperatorCall& call, c10::Device device, bool wants_backward);

}  // namespace kjoule::child
