#include "layers/fill_network_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "recording/call_ranges.hpp"

namespace kjoule {

namespace {

LayerResult describe_layer(const Layer& layer) {
  LayerResult result;
  result.name = layer.name;
  result.kind = layer.kind;
  result.call = layer.call.name;
  result.parameters = layer.parameters;
  result.multiply_adds = layer.multiply_adds;
  result.bytes = layer.bytes;
  const nlohmann::json& arguments = layer.call.arguments;
  if (!arguments.empty() && arguments.front().is_object() && arguments.front().contains("tensor"))
    result.shape = fmt::format(
        "{}", fmt::join(arguments.front().at("tensor").at("shape").get<std::vector<int64_t>>(), "x"));
  return result;
}

}  // namespace

KernelsBySignature kernels_by_signature(const Comparison& comparison) {
  KernelsBySignature kernels;
  for (const KernelResult& kernel : comparison.kernels) kernels[kernel.signature] = &kernel;
  return kernels;
}

void set_layer_in_context(const std::vector<LaunchIndex>& launches, const Recording& recording,
                          const KernelsBySignature& kernels, LayerResult& result) {
  Interval seconds, joules;
  bool has_joules = !launches.empty();
  for (const LaunchIndex launch : launches) {
    const KernelResult& kernel = *kernels.at(recording.launches[launch].signature);
    if (!kernel.in_context_s) {
      result.error = kernel.name + ": " + (kernel.error.empty() ? "was not measured" : kernel.error);
      return;
    }
    const auto each = static_cast<double>(kernel.count);
    seconds.value += kernel.in_context_s->value / each;
    seconds.half_width += kernel.in_context_s->half_width / each;
    has_joules = has_joules && kernel.energy.has_value();
    if (!kernel.energy) continue;
    joules.value += kernel.energy->joules.value / each;
    joules.half_width += kernel.energy->joules.half_width / each;
  }
  result.launches = launches.size();
  result.each_s = seconds;
  if (has_joules) result.each_j = joules;
}

void set_whole(const Comparison& comparison, NetworkResult& result) {
  result.run = comparison.run;
  const ProgramIterations& own = comparison.program_iterations;
  result.own_iterations = {own.warmup, static_cast<int>(own.run_s.size()), own.limit_s};
  if (comparison.energy) {
    result.idle_w = comparison.energy->idle_w;
    result.energy_missing = comparison.energy->missing;
  }
  result.against_whole = {comparison.error(),
                          comparison.times.sum_s.half_width / comparison.times.whole_s.value};
}

std::vector<size_t> distinct_layers(const Network& network) {
  std::vector<size_t> firsts;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const bool seen = std::any_of(firsts.begin(), firsts.end(), [&](size_t first) {
      return network.layers[first].same_work(network.layers[i]);
    });
    if (!seen) firsts.push_back(i);
  }
  return firsts;
}

NetworkResult describe_network(const Network& network, const std::map<size_t, std::string>& refused) {
  NetworkResult result;
  result.name = network.name;
  result.about = network.about;
  result.parameters = network.parameters();
  result.multiply_adds = network.multiply_adds();
  for (const size_t first : distinct_layers(network)) {
    LayerResult& layer = result.layers.emplace_back(describe_layer(network.layers[first]));
    layer.count = 0;
    for (const Layer& other : network.layers)
      if (network.layers[first].same_work(other)) layer.count += other.count;
    if (refused.contains(first)) layer.error = refused.at(first);
  }
  return result;
}

void set_results_in_context(const Network& network, const std::vector<size_t>& measured,
                            const Recording& recording, const Comparison& comparison, NetworkResult& result) {
  set_whole(comparison, result);
  const auto launches = launches_of_calls(recording, measured);
  const KernelsBySignature kernels = kernels_by_signature(comparison);
  const std::vector<size_t> firsts = distinct_layers(network);
  for (size_t l = 0; l < firsts.size(); ++l) {
    LayerResult& layer = result.layers[l];
    if (!layer.error.empty()) continue;
    if (launches.contains(firsts[l]))
      set_layer_in_context(launches.at(firsts[l]), recording, kernels, layer);
    else
      layer.error = "launched nothing";
  }
}

}  // namespace kjoule
