#include "layers/network_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "compare/replay.hpp"

namespace kjoule {

namespace {

LayerResult described(const Layer& layer) {
  LayerResult result;
  result.name = layer.name;
  result.kind = layer.kind;
  result.call = layer.call.name;
  result.parameters = layer.parameters;
  result.multiply_adds = layer.multiply_adds;
  result.bytes = layer.bytes;
  result.count = layer.count;
  const nlohmann::json& arguments = layer.call.arguments;
  if (!arguments.empty() && arguments.front().is_object() && arguments.front().contains("tensor"))
    result.shape = fmt::format(
        "{}", fmt::join(arguments.front().at("tensor").at("shape").get<std::vector<int64_t>>(), "x"));
  return result;
}

/// What the launches of one layer add up to.
void add_launches(const std::vector<LaunchIndex>& launches, const Recording& recording,
                  const std::unordered_map<std::string, const KernelResult*>& kernels, LayerResult& result) {
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

}  // namespace

NetworkResult network_result(const Network& network, const std::vector<size_t>& made,
                             const std::map<size_t, std::string>& refused, const Recording& recording,
                             const Comparison& comparison) {
  NetworkResult result{
      network.name, network.about, network.parameters(), network.multiply_adds(), {}, {}, {}};
  if (comparison.energy) result.idle_w = comparison.energy->idle_w;
  std::unordered_map<std::string, const KernelResult*> kernels;
  for (const KernelResult& kernel : comparison.kernels) kernels[kernel.signature] = &kernel;
  const auto launches = launches_of_calls(recording, made);
  std::vector<size_t> firsts;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto same = std::find_if(firsts.begin(), firsts.end(),
                                   [&](size_t first) { return network.layers[first].same_work(layer); });
    if (same != firsts.end()) {
      result.layers[static_cast<size_t>(same - firsts.begin())].count += layer.count;
      continue;
    }
    firsts.push_back(i);
    LayerResult& one = result.layers.emplace_back(described(layer));
    if (refused.contains(i))
      one.error = refused.at(i);
    else if (!launches.contains(i))
      one.error = "launched nothing";
    else
      add_launches(launches.at(i), recording, kernels, one);
  }
  return result;
}

}  // namespace kjoule
