#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/result.hpp"
#include "layers/layer.hpp"
#include "layers/network_result.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the indexes of layers that represent all work of the network: for layers with the same work, the
/// first one. In ascending order.
std::vector<size_t> distinct_layers(const Network& network);

/// Returns the result before any measurement: the layers of distinct_layers() with their counts. `refused`
/// contains the reason for each layer that cannot be run, by index in the network.
NetworkResult describe_network(const Network& network, const std::map<size_t, std::string>& refused);

/// The kernels of a comparison by signature. The comparison must outlive them.
using KernelsBySignature = std::unordered_map<std::string, const KernelResult*>;
KernelsBySignature kernels_by_signature(const Comparison& comparison);

/// Sets the time and energy of one layer in context: the sum over its launches of their kernels' mean values.
/// If a kernel was not measured, sets the layer's error instead.
void set_layer_in_context(const std::vector<LaunchIndex>& launches, const Recording& recording,
                          const KernelsBySignature& kernels, LayerResult& result);

/// Sets the values of all layers together from a comparison.
void set_whole(const Comparison& comparison, NetworkResult& result);

/// Sets the values of all layers in context, separately and together. `measured` contains the indexes of the
/// layers that `recording` contains, in order. `comparison` is the comparison of that recording.
void set_results_in_context(const Network& network, const std::vector<size_t>& measured,
                            const Recording& recording, const Comparison& comparison, NetworkResult& result);

}  // namespace kjoule
