#pragma once
#include <vector>

#include "recording/replay_call.hpp"
#include "torch/model.hpp"

namespace kjoule::child {

/// Calls of operators, copies and memsets, an iteration of which makes each once, in order, on data of its
/// own. Around each and around all of them stand the ranges of their names. Throws Error naming the first
/// that cannot be made.
std::unique_ptr<Model> open_calls(const std::vector<ReplayCall>& calls, c10::Device device);

}  // namespace kjoule::child
