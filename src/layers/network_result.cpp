#include "layers/network_result.hpp"

#include <algorithm>

namespace kjoule {

std::optional<double> LayerResult::roof_s(const Roof& roof) const {
  const double least_s = std::max(flops() / roof.flop_per_s, bytes_moved() / roof.byte_per_s);
  return least_s > 0 ? std::optional(least_s) : std::nullopt;
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
