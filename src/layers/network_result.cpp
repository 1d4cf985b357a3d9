#include "layers/network_result.hpp"

#include <algorithm>

namespace kjoule {

std::optional<LeastTime> least_time(const std::string& kind, double flops, double bytes, const Roof& roof) {
  const double flop_per_s =
      kind == "conv" ? roof.convolution_flop_per_s.value_or(roof.flop_per_s) : roof.flop_per_s;
  const double compute_s = flops / flop_per_s, memory_s = bytes / roof.byte_per_s;
  if (!(std::max(compute_s, memory_s) > 0)) return {};
  return LeastTime{std::max(compute_s, memory_s), compute_s >= memory_s};
}

std::optional<LeastTime> LayerResult::least_time(const Roof& roof) const {
  return kjoule::least_time(kind, flops(), bytes_moved(), roof);
}

std::optional<double> NetworkResult::of_roof(const LayerResult& layer) const {
  if (!roof || !layer.each_s || !(layer.each_s->value > 0)) return {};
  const auto least = layer.least_time(*roof);
  return least ? std::optional(least->seconds / layer.each_s->value) : std::nullopt;
}

bool NetworkResult::complete() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerResult& layer) { return layer.each_s.has_value(); });
}

double NetworkResult::latency_s() const {
  double sum = 0;
  for (const LayerResult& layer : layers)
    if (layer.each_s) sum += static_cast<double>(layer.count) * layer.each_s->value;
  return sum;
}

double NetworkResult::bottleneck_s() const {
  double longest = 0;
  for (const LayerResult& layer : layers)
    if (layer.each_s) longest = std::max(longest, layer.each_s->value);
  return longest;
}

std::optional<double> NetworkResult::energy_j() const {
  double sum = 0;
  for (const LayerResult& layer : layers) {
    if (layer.each_s && !layer.each_j) return {};
    if (layer.each_j) sum += static_cast<double>(layer.count) * layer.each_j->value;
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

namespace {

std::optional<double> sum_isolated(const std::vector<LayerResult>& layers, const std::string& buffers,
                                   std::optional<Interval> IsolatedLayer::*value) {
  double sum = 0;
  for (const LayerResult& layer : layers) {
    const auto alone = layer.isolated.find(buffers);
    if (alone == layer.isolated.end() || !(alone->second.*value)) return {};
    sum += static_cast<double>(layer.count) * (alone->second.*value)->value;
  }
  return sum;
}

}  // namespace

std::optional<double> NetworkResult::isolated_latency_s(const std::string& buffers) const {
  return sum_isolated(layers, buffers, &IsolatedLayer::each_s);
}

std::optional<double> NetworkResult::isolated_energy_j(const std::string& buffers) const {
  return sum_isolated(layers, buffers, &IsolatedLayer::each_j);
}

std::optional<double> NetworkResult::energy_with_idle_j() const {
  const auto energy = energy_j();
  if (!energy || !idle_w) return {};
  double waiting = 0;
  for (const LayerResult& layer : layers)
    if (layer.each_s) waiting += static_cast<double>(layer.count) * (bottleneck_s() - layer.each_s->value);
  return *energy + *idle_w * waiting;
}

}  // namespace kjoule
