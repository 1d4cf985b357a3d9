#pragma once
#include "recording/operator_call.hpp"
#include "torch/callable_operators.hpp"
#include "torch/operator.hpp"

namespace kjoule::runner {

/// Returns an ATen operator in the form of a sampled operator: its forward and, if `wants_backward`, its
/// backward by autograd. Throws Error if the operator does not exist, if it is not in the list of callable
/// operators, or if `wants_backward` is true and the operator has no backward.
Directions make_called_operator(const OperatorCall& call, const CallableOperators& callable,
                                c10::Device device, bool wants_backward);

}  // namespace kjoule::runner
