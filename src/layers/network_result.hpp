#pragma once
#include <map>
#include <string>
#include <vector>

#include "layers/layer.hpp"
#include "results/network.hpp"
#include "results/timing.hpp"
#include "trace/recording.hpp"

namespace kjoule {

/// `made` are the layers that were run, in the order in which `recording` has their calls; `refused` why
/// others were not. Times and joules are those in context.
NetworkResult network_result(const Network& network, const std::vector<size_t>& made,
                             const std::map<size_t, std::string>& refused, const Recording& recording,
                             const Comparison& comparison);

}  // namespace kjoule
