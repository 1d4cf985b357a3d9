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

/// Returns the overload that accepts the call's arguments, or the one that the call names. Throws Error if
/// there is none, if it is not callable, or if the amount of its work depends on the values in its tensors.
ChosenOperator choose_operator(const OperatorCall& call, CallArguments& arguments,
                               const CallableOperators& callable);

}  // namespace kjoule::runner
