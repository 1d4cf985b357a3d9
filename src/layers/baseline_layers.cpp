#include "layers/baseline_layers.hpp"

#include "layers/stored_network.hpp"

namespace kjoule {

namespace {

/// Returns the value of `count` layers with its interval, from that of one layer.
std::optional<Interval> all_layers(const std::optional<Interval>& each, int64_t count) {
  const auto factor = static_cast<double>(count);
  return each ? std::optional(Interval{factor * each->value, factor * each->half_width}) : std::nullopt;
}

}  // namespace

std::vector<BaselinePart> read_baseline_layers(const std::filesystem::path& file) {
  std::vector<BaselinePart> layers;
  for (const LayerResult& layer : read_network_result(file).layers)
    layers.push_back({layer.name, static_cast<uint64_t>(layer.count), all_layers(layer.each_s, layer.count),
                      all_layers(layer.each_j, layer.count)});
  return layers;
}

}  // namespace kjoule
