#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "layers/layer.hpp"
#include "layers/network_result.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns, in ascending order, the indexes of layers that represent all work of the network: of all layers
/// with the same work, only the first one.
std::vector<size_t> distinct_layers(const Network& network);

/// Returns the result without measured values: the layers of distinct_layers() with their counts. `refused`
/// contains, by index in the network, the reasons why layers cannot be run.
NetworkResult describe_network(const Network& network, const std::map<size_t, std::string>& refused);

/// The kernels of a comparison by signature. The comparison must outlive them.
using KernelsBySignature = std::unordered_map<std::string, const KernelResult*>;
KernelsBySignature kernels_by_signature(const Comparison& comparison);

/// Sets the time and energy of one layer in context: the sum over its launches of the mean values of their
/// kernels. If a kernel was not measured, sets the layer's error instead.
void set_layer_in_context(const std::vector<LaunchIndex>& launches, const Recording& recording,
                          const KernelsBySignature& kernels, LayerResult& result);

/// Sets the values of the result that are about all layers together, from a comparison.
void set_whole(const Comparison& comparison, NetworkResult& result);

/// Sets the values in context of each layer and of all layers together. `measured` contains the indexes of
/// the layers in `recording`, in order. `comparison` is the comparison of this recording.
void set_results_in_context(const Network& network, const std::vector<size_t>& measured,
                            const Recording& recording, const Comparison& comparison, NetworkResult& result);

}  // namespace kjoule
