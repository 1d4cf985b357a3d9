#pragma once
#include <torch/script.h>

#include "recording/operator_call.hpp"
#include "torch/call_arguments.hpp"
#include "torch/callable_operators.hpp"

namespace kjoule::runner {

/// An operator of libtorch with a value for each argument of its schema.
struct ChosenOperator {
  c10::OperatorHandle handle;
  torch::jit::Stack arguments;
};

/// Returns the overload that the call names, or else one that accepts its arguments. Throws Error if there is
/// none, if it is not in the list of callable operators, or if the amount of its work depends on the values
/// in its tensors.
ChosenOperator choose_operator(const OperatorCall& call, CallArguments& arguments,
                               const CallableOperators& callable);

}  // namespace kjoule::runner
