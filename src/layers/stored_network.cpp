#include "layers/stored_network.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/json_fields.hpp"

namespace kjoule {

namespace {

using Ends = std::pair<std::optional<double>, std::optional<double>>;

/// A value in a file with its 95 % interval, whose ends are missing if it is infinite.
struct StoredValue {
  std::optional<double> value;
  std::optional<Ends> ends;

  /// Returns the value x `scale`; nothing if there is no value.
  std::optional<Interval> scaled(double scale) const {
    if (!value) return {};
    const bool is_finite = ends && ends->first && ends->second;
    return Interval{scale * *value, is_finite ? scale * (*ends->second - *ends->first) / 2
                                              : std::numeric_limits<double>::infinity()};
  }
};

/// Time and energy, in ms and J, of a layer in context or in isolation.
struct StoredCost {
  StoredValue latency_ms, energy_j;
  std::string error;
};
template <class Fields>
void describe(Fields& fields, StoredCost& cost) {
  fields("latency_ms", cost.latency_ms.value);
  fields("latency_interval_ms", cost.latency_ms.ends);
  fields("energy_j", cost.energy_j.value);
  fields("energy_interval_j", cost.energy_j.ends);
  fields.unless_empty("error", cost.error);
}

struct StoredIsolated {
  StoredCost cost;
  int64_t iterations = 0;
};
template <class Fields>
void describe(Fields& fields, StoredIsolated& isolated) {
  describe(fields, isolated.cost);
  fields("iterations", isolated.iterations);
}

struct StoredLayer {
  StoredCost cost;
  LayerResult layer;
  std::map<std::string, StoredIsolated> isolated;
};
template <class Fields>
void describe(Fields& fields, StoredLayer& stored) {
  LayerResult& layer = stored.layer;
  describe(fields, stored.cost);
  fields("name", layer.name);
  fields("count", layer.count);
  fields.unless_empty("kind", layer.kind);
  fields.unless_empty("operator", layer.call);
  fields.unless_empty("input_shape", layer.shape);
  fields.unless_empty("launches", layer.launches);
  fields("parameters", layer.parameters);
  fields("multiply_adds", layer.multiply_adds);
  fields("bytes", layer.bytes);
  fields.unless_empty("isolated", stored.isolated);
}

struct StoredCheck {
  std::string model;
  StoredValue whole_ms, whole_j;
};
template <class Fields>
void describe(Fields& fields, StoredCheck& check) {
  fields("model", check.model);
  fields("whole_ms", check.whole_ms.value);
  fields("whole_interval_ms", check.whole_ms.ends);
  fields("whole_j", check.whole_j.value);
  fields("whole_interval_j", check.whole_j.ends);
}

struct StoredIterations {
  OwnIterationCount count;
};
template <class Fields>
void describe(Fields& fields, StoredIterations& stored) {
  fields("runs", stored.count.runs);
  fields("warmup", stored.count.warmup);
  fields("limit_s", stored.count.limit_s);
}

struct StoredNetwork {
  NetworkResult network;
  std::vector<StoredLayer> layers;
  std::optional<StoredIterations> own_iterations;
  std::optional<double> error_percent, half_width_percent, flop_per_s, byte_per_s;
  std::optional<double> convolution_flop_per_s;
  std::optional<int64_t> cache_bytes;
  std::optional<StoredCheck> check;
};
template <class Fields>
void describe(Fields& fields, StoredNetwork& stored) {
  NetworkResult& network = stored.network;
  fields.unless_empty("pipeline", network.name);
  fields.unless_empty("network", network.network);
  fields.unless_empty("dtype", network.dtype);
  fields.unless_empty("about", network.about);
  fields("parameters", network.parameters);
  fields("multiply_adds", network.multiply_adds);
  fields.unless_empty("energy_missing", network.energy_missing);
  fields("idle_w", network.idle_w);
  fields.unless_empty("buffers", network.buffers);
  fields("error_percent", stored.error_percent);
  fields("half_width_percent", stored.half_width_percent);
  fields("program_iterations", stored.own_iterations);
  fields.unless_empty("roof_missing", network.roof_missing);
  fields("roof_flop_per_s", stored.flop_per_s);
  fields("roof_byte_per_s", stored.byte_per_s);
  fields("roof_convolution_flop_per_s", stored.convolution_flop_per_s);
  fields("cache_bytes", stored.cache_bytes);
  fields("check", stored.check);
  fields("layers", stored.layers);
  fields.unless_empty("run", network.run);
}

LayerResult layer_of(StoredLayer& stored) {
  if (stored.layer.count < 0) throw Error(stored.layer.name + ": the number of layers is negative");
  LayerResult layer = std::move(stored.layer);
  layer.each_s = stored.cost.latency_ms.scaled(1e-3);
  layer.each_j = stored.cost.energy_j.scaled(1);
  layer.error = stored.cost.error;
  for (const auto& [buffers, isolated] : stored.isolated)
    layer.isolated[buffers] = {isolated.cost.latency_ms.scaled(1e-3), isolated.cost.energy_j.scaled(1),
                               isolated.iterations, isolated.cost.error};
  return layer;
}

}  // namespace

NetworkResult read_network_result(const std::filesystem::path& file) {
  auto stored = read_fields<StoredNetwork>(read_json(file), file.string());
  NetworkResult network = std::move(stored.network);
  for (StoredLayer& layer : stored.layers) network.layers.push_back(layer_of(layer));
  if (stored.error_percent)
    network.against_whole =
        Interval{*stored.error_percent / 100,
                 stored.half_width_percent.value_or(std::numeric_limits<double>::infinity()) / 100};
  if (stored.flop_per_s && stored.byte_per_s)
    network.roof =
        Roof{*stored.flop_per_s, *stored.byte_per_s, stored.convolution_flop_per_s, stored.cache_bytes};
  if (stored.own_iterations) network.own_iterations = stored.own_iterations->count;
  if (stored.check)
    if (const auto whole_s = stored.check->whole_ms.scaled(1e-3))
      network.check = NetworkCheck{stored.check->model, *whole_s, stored.check->whole_j.scaled(1)};
  return network;
}

}  // namespace kjoule
