#pragma once
#include <vector>

#include "device/sample_protocol.hpp"
#include "torch/callable_operators.hpp"
#include "torch/model.hpp"

namespace kjoule::runner {

/// Opens sampled operators. An iteration runs each once: all forward directions in order, then all backward
/// ones. Each direction is enclosed in the NVTX range call_range(sampled_call(..)), and all of them together
/// in kCallsRange. On a GPU one more kernel that draws little power, the filler, runs at the end. Its range
/// is that of the forward of a request after the last one.
///
/// What forward keeps for backward is in memory that is not reused until the next iteration. So after an
/// iteration, the launches of backward can be replayed in any order. The launches of a forward can be
/// replayed once nothing more is needed of the operators after it, because its intermediate results may be in
/// memory in which those operators keep something.
///
/// Throws Error, or an exception of libtorch, if one of the operators cannot be made.
std::unique_ptr<Model> open_sampled_operators(const std::vector<SampleRequest>& requests,
                                              const CallableOperators& callable, c10::Device device);

}  // namespace kjoule::runner
