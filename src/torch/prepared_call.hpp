#pragma once
#include <ATen/core/Tensor.h>

#include <memory>

#include "recording/replay_call.hpp"
#include "torch/call_arguments.hpp"
#include "torch/callable_operators.hpp"

namespace kjoule::runner {

/// A call with its data, which can be made repeatedly.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  /// Makes the call. `made` contains the result of the previous make(), and receives the result of this one;
  /// if the result is not a tensor, `made` becomes undefined.
  virtual void make(at::Tensor& made) = 0;
};

/// Returns the call with its data. Throws Error, or an exception of libtorch, if the call cannot be made.
std::unique_ptr<PreparedCall> prepare_call(const ReplayCall& call, CallArguments& arguments,
                                           const CallableOperators& callable, c10::Device device);

}  // namespace kjoule::runner
