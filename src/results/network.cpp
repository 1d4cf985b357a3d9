#include "results/network.hpp"

#include <algorithm>

namespace kjoule {

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

std::optional<double> NetworkResult::energy_with_idle_j() const {
  const auto energy = energy_j();
  if (!energy || !idle_w) return {};
  double waiting = 0;
  for (const LayerResult& layer : layers)
    if (layer.each_s) waiting += static_cast<double>(layer.count) * (bottleneck_s() - layer.each_s->value);
  return *energy + *idle_w * waiting;
}

}  // namespace kjoule
