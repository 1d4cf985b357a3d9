#pragma once
#include <torch/script.h>

#include "recording/operator_call.hpp"
#include "torch/call_arguments.hpp"

namespace kjoule::child {

/// An operator of libtorch's and a value for each argument of its schema.
struct ChosenOperator {
  c10::OperatorHandle handle;
  torch::jit::Stack arguments;
};

/// The overload that takes the call's arguments, where it names none. Throws Error when there is none, and
/// for one whose work depends on what stands in its tensors.
ChosenOperator choose_operator(const OperatorCall& call, CallArguments& arguments);

}  // namespace kjoule::child
