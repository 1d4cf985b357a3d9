#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "recording/replay_call.hpp"
#include "torch/call_arguments.hpp"

namespace kjoule::child {

/// A call with its data.
class ReplayedCall {
 public:
  virtual ~ReplayedCall() = default;
  /// `made`: by the call before, then by this one; undefined where that is no tensor.
  virtual void make(at::Tensor& made) = 0;
  /// "aten::add.Tensor", "memset".
  virtual std::string name() const = 0;
};

/// Throws Error, or what libtorch throws, where the call cannot be made.
std::unique_ptr<ReplayedCall> replayed_call(const ReplayCall& call, CallArguments& arguments,
                                            c10::Device device);

}  // namespace kjoule::child
