#pragma once
#include <vector>

#include "recording/replay_call.hpp"
#include "torch/callable_operators.hpp"
#include "torch/model.hpp"

namespace kjoule::runner {

/// Opens calls of operators, copies and memsets. An iteration makes each call once, in order. Each call has
/// data of its own. Each call, and all calls together, are enclosed in NVTX ranges with their names. If a
/// call cannot be made, throws Error for the first such call.
std::unique_ptr<Model> open_calls(const std::vector<ReplayCall>& calls, const CallableOperators& callable,
                                  c10::Device device);

}  // namespace kjoule::runner
