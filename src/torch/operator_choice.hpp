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

/// Returns the overload that the call names; if the call names none, returns an overload that accepts the
/// call's arguments. Throws Error if there is no such overload, if the operator is not in the list of
/// callable operators, or if the amount of the operator's work depends on the values in its tensors.
ChosenOperator choose_operator(const OperatorCall& call, CallArguments& arguments,
                               const CallableOperators& callable);

}  // namespace kjoule::runner
