#pragma once
#include <vector>

#include "device/sample_protocol.hpp"
#include "torch/model.hpp"

namespace kjoule::child {

/// Sampled operators, an iteration of which runs each once: forward, in order, and
/// when all have run, backward. Around each direction stands the range call_range(sampled_call(..)), around
/// all of them kCallsRange. On a GPU there is one more at the end, as if it were the forward of a request
/// behind the last: a kernel that draws little.
///
/// What forward keeps for backward lies in memory that nothing else is given until the next iteration. So,
/// behind an iteration, the launches of backward can be played again in any order, and those of forward once
/// nothing is wanted any more of the operators behind it: what it made on its way may lie where
/// theirs keep something.
///
/// Throws Error, or what libtorch throws, where one of them cannot be made.
std::unique_ptr<Model> open_sampled(const std::vector<SampleRequest>& requests, c10::Device device);

}  // namespace kjoule::child
