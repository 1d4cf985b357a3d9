#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/result.hpp"
#include "layers/layer.hpp"
#include "layers/measured_network.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// One of each work in the network: the places of the first of them, in order.
std::vector<size_t> distinct_layers(const Network& network);

/// What is known before anything is measured: layers as distinct_layers() has them, counted. `refused` says
/// why layers cannot be made, by place.
NetworkResult described_network(const Network& network, const std::map<size_t, std::string>& refused);

/// A comparison's kernels, which must outlive it.
using KernelsBySignature = std::unordered_map<std::string, const KernelResult*>;
KernelsBySignature kernels_by_signature(const Comparison& comparison);

/// Sets what one layer takes in context: what its launches add up to, each as long as its kernel is on
/// average. A kernel that was not measured is the layer's error.
void add_launches(const std::vector<LaunchIndex>& launches, const Recording& recording,
                  const KernelsBySignature& kernels, LayerResult& result);

/// Sets what a comparison says of all layers together.
void take_whole(const Comparison& comparison, NetworkResult& result);

/// Adds what layers take in the network, one by one and together. `made` are those that `recording` has, by
/// place, in order; `comparison` is of that recording.
void add_in_context(const Network& network, const std::vector<size_t>& made, const Recording& recording,
                    const Comparison& comparison, NetworkResult& result);

}  // namespace kjoule
