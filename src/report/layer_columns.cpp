#include "report/layer_columns.hpp"

#include <fmt/format.h>

#include "base/json/optional_json.hpp"
#include "base/text/printable.hpp"
#include "report/interval_json.hpp"
#include "report/shown_interval.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using LayerColumn = TableColumn<ReportedLayer>;
using LayerRow = const ReportedLayer&;

std::string shown(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}
ShownInterval shown(const std::optional<Interval>& interval, double scale, const char* unit) {
  if (!interval) return {};
  return shown_interval({interval->value * scale, interval->half_width * scale}, 4, unit);
}

std::optional<double> per_second(double amount, const LayerResult& layer) {
  return layer.each_s && amount > 0 ? std::optional(amount / layer.each_s->value) : std::nullopt;
}
std::optional<double> tera_flops(const LayerResult& layer) {
  const auto rate = per_second(layer.flops(), layer);
  return rate ? std::optional(*rate * 1e-12) : std::nullopt;
}
std::optional<double> giga_bytes(const LayerResult& layer) {
  const auto rate = per_second(layer.bytes_moved(), layer);
  return rate ? std::optional(*rate * 1e-9) : std::nullopt;
}
std::optional<double> joules_per_tera_flop(const LayerResult& layer) {
  return layer.each_j && layer.flops() > 0 ? std::optional(layer.each_j->value / (layer.flops() * 1e-12))
                                           : std::nullopt;
}

std::optional<double> share(LayerRow row) {
  const auto& [network, layer] = row;
  if (!layer->each_s || network->latency_s() <= 0) return {};
  return static_cast<double>(layer->count) * layer->each_s->value / network->latency_s();
}

/// Returns the layer's share of the roof; nothing if it would be above 1, which no work can reach.
std::optional<double> share_of_roof(LayerRow row) {
  const auto share = row.network->of_roof(*row.layer);
  return share && *share <= 1 ? share : std::nullopt;
}

/// Returns "compute" or "memory": which of the two, the layer's FLOPs or bytes, need more time at the roofs;
/// empty if the roofs are not known.
const char* bound(LayerRow row) {
  const auto& roof = row.network->roof;
  const auto least = roof ? row.layer->least_time(*roof) : std::nullopt;
  if (!least) return "";
  return least->is_compute ? "compute" : "memory";
}

/// Returns null if the layer was not measured in isolation.
Json alone_json(LayerRow row) {
  Json json;
  for (const auto& [buffers, alone] : row.layer->isolated) {
    Json& one = json[buffers];
    one["latency_ms"] = value_json(alone.each_s, 1e3);
    one["latency_interval_ms"] = interval_json(alone.each_s, 1e3);
    one["energy_j"] = value_json(alone.each_j);
    one["energy_interval_j"] = interval_json(alone.each_j);
    one["iterations"] = alone.iterations;
    if (!alone.error.empty()) one["error"] = alone.error;
  }
  return json;
}

std::optional<double> times_100(const std::optional<double>& value) {
  return value ? std::optional(100 * *value) : std::nullopt;
}

LayerColumn in_files(const char* key, const char* meaning, const char* unit,
                     std::function<Json(LayerRow)> value, Places places = kFiles) {
  return LayerColumn::in_files(key, meaning, unit, places, std::move(value));
}

std::vector<LayerColumn> name_columns_of_layers() {
  return {
      in_files(
          "pipeline", "name of the network", "", [](LayerRow row) { return row.network->name; }, Place::csv),
      in_files(
          "network", "name of the network, without its batch and data type", "",
          [](LayerRow row) { return row.network->network; }, Place::csv),
      in_files(
          "dtype", "data type of the network's tensors", "", [](LayerRow row) { return row.network->dtype; },
          Place::csv),
      {"layer",
       "layer",
       "name of the layer, its kind and the shape of its input",
       "",
       Place::first_screen | Place::csv,
       {},
       [](LayerRow row) { return row.layer->name; }},
      in_files(
          "name", "name of the first of the layers that do the same work", "",
          [](LayerRow row) { return row.layer->name; }, Place::json),
      in_files("kind", "kind of the layer, as in the network's file", "",
               [](LayerRow row) { return row.layer->kind; }),
      in_files("operator", "name of the operator that the layer calls; empty if only its launches are known",
               "", [](LayerRow row) { return row.layer->call; }),
      in_files("input_shape",
               "shape of the first input, such as 8x197x768; empty if the first input is no tensor", "",
               [](LayerRow row) { return row.layer->shape; })};
}

std::vector<LayerColumn> work_columns() {
  return {
      LayerColumn::number(
          "count", "count", "number of equal layers in the network", "layers", kScreenAndFiles,
          [](LayerRow row) { return row.layer->count; }, 0, 6),
      in_files("launches", "number of launches of one layer", "launches",
               [](LayerRow row) { return row.layer->launches; }),
      in_files("parameters", "number of parameters of one layer; null if unknown", "parameters",
               [](LayerRow row) { return or_null(row.layer->parameters); }),
      in_files("multiply_adds", "number of multiply-adds of one layer; null if unknown", "multiply-adds",
               [](LayerRow row) { return or_null(row.layer->multiply_adds); }),
      in_files("bytes", "bytes that one layer reads and writes, each tensor counted once; null if unknown",
               "bytes", [](LayerRow row) { return or_null(row.layer->bytes); })};
}

/// Returns the columns of a layer's time or energy, `scale` x its value in SI units: its value, half-width
/// and interval. The keys begin with `name` and end with `suffix`.
std::vector<LayerColumn> measured_layer_columns(const std::string& meaning, const std::string& unit,
                                                const std::string& name, const std::string& suffix,
                                                double scale, std::optional<Interval> LayerResult::*value) {
  return {{"each " + unit, name + suffix, meaning, unit, kScreenAndFiles,
           [=](LayerRow row) { return shown((*row.layer).*value, scale, unit.c_str()).value; },
           [=](LayerRow row) { return value_json((*row.layer).*value, scale); }, 9},
          {"+-", name + "_half_width" + suffix,
           "half-width of the 95 % interval of the time or energy to the left", unit,
           Place::first_screen | Place::csv,
           [=](LayerRow row) { return shown((*row.layer).*value, scale, unit.c_str()).half_width; },
           [=](LayerRow row) { return half_width_json((*row.layer).*value, scale); }, 8},
          LayerColumn::in_files(
              name + "_interval" + suffix,
              "95 % interval of " + name + suffix + ". As [low, high]; an end is null if it is infinite",
              unit, Place::json, [=](LayerRow row) { return interval_json((*row.layer).*value, scale); })};
}

Json above_roof_json(LayerRow row) {
  const auto above = above_roof(row);
  if (!above) return {};
  return {{"percent", 100 * *above}, {"reason", reason_above_roof(row)}};
}

std::vector<LayerColumn> rate_columns() {
  return {
      in_files("power_w", "mean power, energy_j over latency_ms", "W",
               [](LayerRow row) { return or_null(row.layer->watts()); }),
      LayerColumn::number(
          "TFLOP/s", "tflop_per_s", "floating-point operations per second, in 10^12", "10^12 FLOP/s",
          kScreenAndFiles, [](LayerRow row) { return or_null(tera_flops(*row.layer)); }, 3, 7),
      LayerColumn::number(
          "GB/s", "gb_per_s", "bytes read and written per second, in 10^9", "10^9 bytes/s", kScreenAndFiles,
          [](LayerRow row) { return or_null(giga_bytes(*row.layer)); }, 1, 7),
      in_files("j_per_tflop", "energy per floating-point operation; null if it is not available",
               "J per 10^12 FLOP", [](LayerRow row) { return or_null(joules_per_tera_flop(*row.layer)); }),
      in_files("share_percent",
               "time of all equal layers (latency_ms x count) as a share of pipeline_latency_ms", "%",
               [](LayerRow row) { return or_null(times_100(share(row))); }),
      {"roof %", "roofline_percent",
       "rate in % of the highest rate that the device can reach with this work (roofline)", "%",
       kScreenAndFiles,
       [](LayerRow row) { return above_roof(row) ? ">100" : shown(times_100(share_of_roof(row)), 1); },
       [](LayerRow row) { return or_null(times_100(share_of_roof(row))); }, 6},
      in_files("roofline_bound",
               "resource that needs the least time of the roofline: compute (FLOPs) or memory (bytes); empty "
               "if unknown",
               "", bound),
      in_files(
          "above_roof_percent", "rate in % of the roof, if it is above 100", "%",
          [](LayerRow row) { return or_null(times_100(above_roof(row))); }, Place::csv),
      in_files("above_roof",
               "present if the layer is faster than the roof allows, so that either its counted work or the "
               "roof is wrong for it",
               "", above_roof_json, Place::json),
      LayerColumn::on_screen(
          "share %", "share of the time of all layers", Place::first_screen,
          [](LayerRow row) { return shown(times_100(share(row)), 2); }, 7)};
}

/// Returns the column of a layer's time or energy in isolation, `scale` x its value in SI units.
LayerColumn isolated_column(const std::string& buffers, const char* name, const char* unit, double scale,
                            std::optional<Interval> IsolatedLayer::*value) {
  return LayerColumn::in_files(
      buffers + "_" + name, "mean of one layer in isolation (--buffers " + buffers + ")", unit, Place::csv,
      [=](LayerRow row) { return value_json(alone(*row.layer, buffers, value), scale); });
}

std::vector<LayerColumn> last_layer_columns() {
  return {
      isolated_column("rotate", "latency_ms", "ms", 1e3, &IsolatedLayer::each_s),
      isolated_column("rotate", "energy_j", "J", 1, &IsolatedLayer::each_j),
      isolated_column("same", "latency_ms", "ms", 1e3, &IsolatedLayer::each_s),
      isolated_column("same", "energy_j", "J", 1, &IsolatedLayer::each_j),
      in_files(
          "isolated",
          "the layer in isolation, by the data that repeats use; present only with --buffers rotate or same",
          "", alone_json, Place::json),
      in_files("error", "reason why the layer has no time", "",
               [](LayerRow row) { return text_json(row.layer->error); }),
      in_files(
          "energy_missing", "reason why there is no energy although it was requested", "",
          [](LayerRow row) { return row.layer->each_j ? "" : row.network->energy_missing; }, Place::csv)};
}

}  // namespace

const std::vector<LayerColumn>& layer_columns() {
  static const std::vector<LayerColumn> columns =
      joined({name_columns_of_layers(),
              work_columns(),
              measured_layer_columns("time of one layer", "ms", "latency", "_ms", 1e3, &LayerResult::each_s),
              {LayerColumn::on_screen(
                  "W", "mean power", Place::first_screen,
                  [](LayerRow row) { return shown(row.layer->watts(), 0); }, 5)},
              measured_layer_columns("energy of one layer", "J", "energy", "_j", 1, &LayerResult::each_j),
              rate_columns(),
              last_layer_columns()});
  return columns;
}

std::vector<ReportedLayer> rows_of(const NetworkResult& network) {
  std::vector<ReportedLayer> rows;
  for (const LayerResult& layer : network.layers) rows.push_back({&network, &layer});
  return rows;
}

std::string layer_title(const LayerResult& layer) {
  return printable(layer.name) + "  " + layer.kind + " " + layer.shape;
}

std::optional<Interval> alone(const LayerResult& layer, const std::string& buffers,
                              std::optional<Interval> IsolatedLayer::*value) {
  const auto found = layer.isolated.find(buffers);
  return found == layer.isolated.end() ? std::nullopt : found->second.*value;
}

std::optional<double> above_roof(const ReportedLayer& row) {
  const auto share = row.network->of_roof(*row.layer);
  return share && *share > 1 ? share : std::nullopt;
}

std::string reason_above_roof(const ReportedLayer& row) {
  const Roof& roof = *row.network->roof;
  const LayerResult& layer = *row.layer;
  const auto& cache = roof.cache_bytes;
  if (layer.least_time(roof)->is_compute)
    return layer.kind == "conv"
               ? "the algorithm may compute less than is counted (Winograd, FFT), or the roof "
                 "was measured too low"
               : "the FLOPs are counted too high, or the roof was measured too low";
  if (cache && *layer.bytes <= *cache)
    return fmt::format("the data fit into the cache of {:.1f} MB, which is faster than the memory",
                       static_cast<double>(*cache) * 1e-6);
  return "a part of the data was in a cache or is not read, or the roof was measured too low";
}

}  // namespace kjoule
