#pragma once
#include <vector>

#include "device/sample_protocol.hpp"
#include "torch/callable_operators.hpp"
#include "torch/model.hpp"

namespace kjoule::runner {

/// Opens sampled operators. An iteration runs each operator once: all forward directions in order, then all
/// backward directions. Each direction is enclosed in the NVTX range call_range(sampled_call(..)), and all
/// directions together in kCallsRange. On a GPU, the filler, a kernel that consumes little power, runs at the
/// end. The number of its range is that of the forward of one more request after the last request.
///
/// The data that forward keeps for backward are in memory that is not reused until the next iteration. So
/// after an iteration, the launches of backward can be replayed in any order. The launches of a forward may
/// write intermediate results to memory in which later operators keep data. So they can be replayed only when
/// the data of later operators are no longer needed.
///
/// Throws Error, or an exception of libtorch, if one of the operators cannot be made.
std::unique_ptr<Model> open_sampled_operators(const std::vector<SampleRequest>& requests,
                                              const CallableOperators& callable, c10::Device device);

}  // namespace kjoule::runner
