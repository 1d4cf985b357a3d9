#pragma once
#include <vector>

#include "device/sample_protocol.hpp"
#include "torch/callable_operators.hpp"
#include "torch/model.hpp"

namespace kjoule::runner {

/// Opens sampled operators. An iteration runs each operator once: all forward directions in order, then all
/// backward directions. Each direction is enclosed in the NVTX range call_range(sampled_call(..)), and all
/// directions together in kCallsRange. On a GPU, one more kernel runs at the end, the filler, which consumes
/// little power. Its range is that of the forward of a further request after the last one.
///
/// The data that forward keeps for backward are in memory that is not reused until the next iteration, so
/// that after an iteration the launches of backward can be replayed in any order. The launches of a forward
/// can be replayed only when no data of later operators are needed any more, because its intermediate results
/// may be in memory in which these operators keep data.
///
/// Throws Error, or an exception of libtorch, if one of the operators cannot be made.
std::unique_ptr<Model> open_sampled_operators(const std::vector<SampleRequest>& requests,
                                              const CallableOperators& callable, c10::Device device);

}  // namespace kjoule::runner
