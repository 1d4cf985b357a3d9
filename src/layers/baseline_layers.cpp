#include "layers/baseline_layers.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/json_fields.hpp"

namespace kjoule {

namespace {

using Ends = std::pair<std::optional<double>, std::optional<double>>;

/// A layer in layers.json, with the time and energy of one of `count` equal layers.
struct StoredLayer {
  std::string name;
  uint64_t count = 0;
  std::optional<double> latency_ms, energy_j;
  std::optional<Ends> latency_interval_ms, energy_interval_j;
};
template <class Fields>
void describe(Fields& fields, StoredLayer& layer) {
  fields("name", layer.name);
  fields("count", layer.count);
  fields("latency_ms", layer.latency_ms);
  fields("latency_interval_ms", layer.latency_interval_ms);
  fields("energy_j", layer.energy_j);
  fields("energy_interval_j", layer.energy_interval_j);
}

/// Returns the value of `count` layers with its interval, from those of one layer; nothing if there is no
/// value.
std::optional<Interval> all_layers(const std::optional<double>& value, const std::optional<Ends>& ends,
                                   double count) {
  if (!value) return {};
  const double half_width = ends && ends->first && ends->second ? (*ends->second - *ends->first) / 2
                                                                : std::numeric_limits<double>::infinity();
  return Interval{count * *value, count * half_width};
}

}  // namespace

std::vector<BaselinePart> read_baseline_layers(const std::filesystem::path& file) {
  const nlohmann::json json = read_json(file);
  const auto stored = json.is_object() ? json.find("layers") : json.end();
  if (stored == json.end() || !stored->is_array())
    throw Error(file.string() + ": the field \"layers\" is not a list",
                "measure the network again with kjoule layers");
  std::vector<BaselinePart> layers;
  for (size_t l = 0; l < stored->size(); ++l) {
    const auto layer =
        read_fields<StoredLayer>((*stored)[l], fmt::format("{}: layers[{}]", file.string(), l));
    const auto count = static_cast<double>(layer.count);
    std::optional<Interval> time_s = all_layers(layer.latency_ms, layer.latency_interval_ms, count);
    if (time_s) time_s = Interval{1e-3 * time_s->value, 1e-3 * time_s->half_width};
    layers.push_back(
        {layer.name, layer.count, time_s, all_layers(layer.energy_j, layer.energy_interval_j, count)});
  }
  return layers;
}

}  // namespace kjoule
