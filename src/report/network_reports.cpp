#include "report/network_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/files/csv.hpp"
#include "base/json/optional_json.hpp"
#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "report/shown_interval.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> scaled(const std::optional<Interval>& interval, double scale) {
  return interval ? std::optional(interval->value * scale) : std::nullopt;
}
std::optional<double> half_width(const std::optional<Interval>& interval, double scale) {
  return interval ? std::optional(interval->half_width * scale) : std::nullopt;
}
std::string cell(const std::optional<double>& value) {
  return value ? number_cell(*value) : "";
}
std::string shown(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}
Json interval_json(const std::optional<Interval>& interval, double scale) {
  if (!interval) return {};
  return {(interval->value - interval->half_width) * scale, (interval->value + interval->half_width) * scale};
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
using LayerColumn = TableColumn<ReportedLayer>;
using LayerRow = const ReportedLayer&;
constexpr Places kLayerPlaces = Place::first_screen | Place::csv | Place::json;

std::vector<ReportedLayer> rows_of(const NetworkResult& network) {
  std::vector<ReportedLayer> rows;
  for (const LayerResult& layer : network.layers) rows.push_back({&network, &layer});
  return rows;
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
/// Returns the layer's share of the roof if it is above 1, that is, if the layer seems to be faster than the
/// roof allows; otherwise nothing.
std::optional<double> above_roof(LayerRow row) {
  const auto share = row.network->of_roof(*row.layer);
  return share && *share > 1 ? share : std::nullopt;
}
/// Returns "compute" or "memory": which of the two, the layer's FLOPs or bytes, need more time at the roofs;
/// empty if the roofs are not known.
const char* bound(LayerRow row) {
  const auto& roof = row.network->roof;
  const auto least = roof ? row.layer->least_time(*roof) : std::nullopt;
  if (!least) return "";
  return least->is_compute ? "compute" : "memory";
}
/// Returns possible reasons why a layer is faster than the roof allows.
std::string reason_above_roof(LayerRow row) {
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

/// Returns null if the layer was not measured in isolation.
Json alone_json(LayerRow row) {
  Json json;
  for (const auto& [buffers, alone] : row.layer->isolated) {
    Json& one = json[buffers];
    one["latency_ms"] = or_null(scaled(alone.each_s, 1e3));
    one["latency_interval_ms"] = interval_json(alone.each_s, 1e3);
    one["energy_j"] = or_null(scaled(alone.each_j, 1));
    one["energy_interval_j"] = interval_json(alone.each_j, 1);
    one["iterations"] = alone.iterations;
    if (!alone.error.empty()) one["error"] = alone.error;
  }
  return json;
}

/// Returns the buffer modes with which layers were measured in isolation, in the order of the table's
/// columns.
std::vector<std::string> alone_in(const NetworkResult& network) {
  std::vector<std::string> names;
  for (const LayerResult& layer : network.layers)
    for (const auto& [buffers, alone] : layer.isolated)
      if (std::find(names.begin(), names.end(), buffers) == names.end()) names.push_back(buffers);
  return names;
}

/// Returns the buffer modes in isolation whose times follow the names of layers: all except the network's
/// main mode.
std::vector<std::string> alone_beside(const NetworkResult& network) {
  std::vector<std::string> names = alone_in(network);
  std::erase(names, network.buffers);
  return names;
}

/// Returns the layer's time or energy in isolation with these buffers.
std::optional<Interval> alone(const LayerResult& layer, const std::string& buffers,
                              std::optional<Interval> IsolatedLayer::*value) {
  const auto found = layer.isolated.find(buffers);
  return found == layer.isolated.end() ? std::nullopt : found->second.*value;
}

std::optional<double> times_100(const std::optional<double>& value) {
  return value ? std::optional(100 * *value) : std::nullopt;
}

LayerColumn in_files(const char* key, const char* meaning, const char* unit,
                     std::function<Json(LayerRow)> value, Places places = Place::csv | Place::json) {
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
          "count", "count", "number of equal layers in the network", "layers", kLayerPlaces,
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
  return {{"each " + unit, name + suffix, meaning, unit, kLayerPlaces,
           [=](LayerRow row) { return shown((*row.layer).*value, scale, unit.c_str()).value; },
           [=](LayerRow row) { return or_null(scaled((*row.layer).*value, scale)); }, 9},
          {"+-", name + "_half_width" + suffix,
           "half-width of the 95 % interval of the time or energy to the left", unit,
           Place::first_screen | Place::csv,
           [=](LayerRow row) { return shown((*row.layer).*value, scale, unit.c_str()).half_width; },
           [=](LayerRow row) { return or_null(half_width((*row.layer).*value, scale)); }, 8},
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
          kLayerPlaces, [](LayerRow row) { return or_null(tera_flops(*row.layer)); }, 3, 7),
      LayerColumn::number(
          "GB/s", "gb_per_s", "bytes read and written per second, in 10^9", "10^9 bytes/s", kLayerPlaces,
          [](LayerRow row) { return or_null(giga_bytes(*row.layer)); }, 1, 7),
      in_files("j_per_tflop", "energy per floating-point operation; null if it is not available",
               "J per 10^12 FLOP", [](LayerRow row) { return or_null(joules_per_tera_flop(*row.layer)); }),
      in_files("share_percent",
               "time of all equal layers (latency_ms x count) as a share of pipeline_latency_ms", "%",
               [](LayerRow row) { return or_null(times_100(share(row))); }),
      {"roof %", "roofline_percent",
       "rate in % of the highest rate that the device can reach with this work (roofline)", "%", kLayerPlaces,
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
      [=](LayerRow row) { return or_null(scaled(alone(*row.layer, buffers, value), scale)); });
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
          "energy_missing", "why there is no energy, where it was asked for", "",
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

namespace {

/// Returns two lines for each layer: its name, kind and input, then its numbers.
std::string layers_table(const NetworkResult& network, const std::vector<std::string>& beside) {
  const std::vector<ReportedLayer> rows = rows_of(network);
  const ShownColumns columns(layer_columns(), Place::first_screen, rows, ColumnGaps{});
  std::string text = "layer\n" + columns.heads() + "\n";
  for (const auto& [of, layer] : rows) {
    std::string name = printable(layer->name) + "  " + layer->kind + " " + layer->shape;
    for (const std::string& buffers : beside) {
      const std::string ms = shown(scaled(alone(*layer, buffers, &IsolatedLayer::each_s), 1e3), 4);
      name += fmt::format("  {} {} ms", buffers, ms.empty() ? "-" : ms);
    }
    if (!layer->error.empty()) name += ": " + printable(layer->error);
    text += table_row("", name) + columns.cells({of, layer}) + "\n";
  }
  return text;
}

double to_percent(double value, double of) {
  return 100 * (value / of - 1);
}

/// Returns the comparison of the layers' sum with the whole model.
Json check_json(const NetworkResult& network, const NetworkCheck& check) {
  Json json{{"model", check.model},
            {"whole_ms", check.whole_s.value * 1e3},
            {"whole_interval_ms", interval_json(check.whole_s, 1e3)},
            {"latency_error_percent", to_percent(network.latency_s(), check.whole_s.value)}};
  json["whole_j"] = or_null(scaled(check.whole_j, 1));
  json["whole_interval_j"] = interval_json(check.whole_j, 1);
  const auto energy = network.energy_j();
  json["energy_error_percent"] =
      energy && check.whole_j ? Json(to_percent(*energy, check.whole_j->value)) : Json();
  return json;
}

std::string check_text(const NetworkResult& network, const NetworkCheck& check) {
  std::string text = fmt::format("{}: {:.4f} +- {:.4f} ms; the sum of the layers differs from it by {} %",
                                 check.model, check.whole_s.value * 1e3, check.whole_s.half_width * 1e3,
                                 signed_text(to_percent(network.latency_s(), check.whole_s.value), 2));
  const auto energy = network.energy_j();
  if (energy && check.whole_j)
    text += fmt::format("; {:.4f} +- {:.4f} J; the sum of the layers' energies differs from it by {} %",
                        check.whole_j->value, check.whole_j->half_width,
                        signed_text(to_percent(*energy, check.whole_j->value), 2));
  return wrapped("", text);
}

std::string alone_text(const NetworkResult& network, const std::string& buffers) {
  const auto latency_s = network.isolated_latency_s(buffers);
  if (!latency_s) return fmt::format("{}: not all layers were measured\n", buffers);
  std::string text = fmt::format(
      "{}: sum of all layers in isolation {:.4f} ms, {} % compared with {}", buffers, *latency_s * 1e3,
      signed_text(to_percent(*latency_s, network.latency_s()), 2), network.buffers);
  const auto energy_j = network.isolated_energy_j(buffers), in_context_j = network.energy_j();
  if (energy_j && in_context_j)
    text += fmt::format("; {:.4f} J, {} %", *energy_j, signed_text(to_percent(*energy_j, *in_context_j), 2));
  return wrapped("", text);
}

/// Returns the finding that layers are faster than the roof allows, with a line for each reason; empty if no
/// layer is.
std::string above_roof_text(const NetworkResult& network) {
  std::vector<std::pair<std::string, std::string>> layers_of;  // by reason
  for (const LayerResult& layer : network.layers) {
    const auto above = above_roof(ReportedLayer{&network, &layer});
    if (!above) continue;
    const std::string reason = reason_above_roof(ReportedLayer{&network, &layer});
    const auto known = std::ranges::find(layers_of, reason, &std::pair<std::string, std::string>::first);
    std::string& layers =
        known == layers_of.end() ? layers_of.emplace_back(reason, "").second : known->second;
    const std::string work = layer.least_time(*network.roof)->is_compute
                                 ? fmt::format("{:.4g} GFLOP", layer.flops() * 1e-9)
                                 : fmt::format("{:.4g} MB", layer.bytes_moved() * 1e-6);
    layers += fmt::format("{}{} ({} in {:.4f} ms, {:.1f} x the roof)", layers.empty() ? "" : ", ",
                          printable(layer.name), work, layer.each_s->value * 1e3, *above);
  }
  std::string text;
  for (const auto& [reason, layers] : layers_of)
    text += wrapped("", fmt::format("above the roof: {}: {}", reason, layers));
  return text;
}

/// Returns the line that fewer iterations than by default were run; empty if not.
std::string own_iterations_text(const NetworkResult& network) {
  const auto& own = network.own_iterations;
  if (!own || !own->limit_s) return "";
  return wrapped("",
                 fmt::format("whole iterations of the network: {} timed, {} untimed; more would have taken "
                             "longer than {:g} s (--runs and --warmup set the numbers)",
                             own->runs, own->warmup, *own->limit_s));
}

/// Returns the lines that follow the sums in the table.
std::string notes_text(const NetworkResult& network, const std::vector<std::string>& beside) {
  std::string text;
  if (network.against_whole)
    text += wrapped("", fmt::format("the sum of the layers differs from the network replayed as a whole by "
                                    "{} % (95 % interval +-{:.2f} %)",
                                    signed_text(100 * network.against_whole->value, 2),
                                    100 * network.against_whole->half_width));
  else
    text += wrapped("", fmt::format("layers were measured in isolation ({}); in the network each would find "
                                    "other data in the caches",
                                    network.buffers));
  text += own_iterations_text(network);
  for (const std::string& buffers : beside) text += alone_text(network, buffers);
  if (const auto& roof = network.roof) {
    const std::string convolutions = roof->convolution_flop_per_s
                                         ? fmt::format(" ({:.2f} TFLOP/s in TF32, for convolutions)",
                                                       *roof->convolution_flop_per_s * 1e-12)
                                         : "";
    text += wrapped("", fmt::format("roof (measured peak rates): {:.2f} TFLOP/s by large matrix products{}, "
                                    "{:.1f} GB/s by copying, reading or writing much memory",
                                    roof->flop_per_s * 1e-12, convolutions, roof->byte_per_s * 1e-9));
  }
  text += above_roof_text(network);
  return text;
}

std::string sums_text(const NetworkResult& network) {
  std::string text = fmt::format("{} {:.4f} ms, longest layer {:.4f} ms",
                                 network.complete() ? "sum of all layers" : "sum of the measured layers",
                                 network.latency_s() * 1e3, network.bottleneck_s() * 1e3);
  if (const auto energy = network.energy_j()) text += fmt::format(", {:.4f} J", *energy);
  if (const auto energy = network.energy_with_idle_j())
    text +=
        fmt::format("; in a full pipeline, with idle power ({:.1f} W), {:.4f} J", *network.idle_w, *energy);
  return wrapped("", text);
}

}  // namespace

std::string network_text(const NetworkResult& network) {
  std::string text =
      wrapped("", printable(network.name + (network.dtype.empty() ? "" : ", " + network.dtype) +
                            (network.about.empty() ? "" : ": " + network.about)));
  if (network.parameters && network.multiply_adds)
    text += fmt::format("{:.2f} M parameters, {:.3f} G multiply-adds\n",
                        static_cast<double>(*network.parameters) * 1e-6,
                        static_cast<double>(*network.multiply_adds) * 1e-9);
  const std::vector<std::string> beside = alone_beside(network);
  text += layers_table(network, beside) + sums_text(network) + notes_text(network, beside);
  if (network.check) text += check_text(network, *network.check);
  return text;
}

TableColumns network_columns() {
  return {"the table of layers", explained(layer_columns(), Place::first_screen)};
}

std::string network_csv(const std::vector<NetworkResult>& networks) {
  std::vector<ReportedLayer> rows;
  for (const NetworkResult& network : networks)
    for (const ReportedLayer& layer : rows_of(network)) rows.push_back(layer);
  return csv_text(layer_columns(), rows);
}

namespace {

using Cells = std::vector<std::pair<std::string, std::string>>;  ///< columns and their contents, in order

Cells summary_cells(const NetworkResult& network) {
  Cells cells{{"pipeline", network.name}, {"network", network.network}, {"dtype", network.dtype}};
  for (const LayerResult& layer : network.layers) {
    cells.emplace_back("layer_avg_latency_ms__" + layer.name, cell(scaled(layer.each_s, 1e3)));
    cells.emplace_back("layer_avg_energy_J__" + layer.name, cell(scaled(layer.each_j, 1)));
    cells.emplace_back("layer_avg_power_W__" + layer.name, cell(layer.watts()));
  }
  // The sums are only given if every layer has a time.
  const bool whole = network.complete();
  cells.emplace_back("pipeline_latency_ms", whole ? cell(std::optional(network.latency_s() * 1e3)) : "");
  cells.emplace_back("pipeline_energy_J", whole ? cell(network.energy_j()) : "");
  cells.emplace_back("bottleneck_latency_ms", whole ? cell(std::optional(network.bottleneck_s() * 1e3)) : "");
  cells.emplace_back("pipeline_energy_with_idle_J", whole ? cell(network.energy_with_idle_j()) : "");
  return cells;
}

}  // namespace

std::string network_summary_csv(const std::vector<NetworkResult>& networks) {
  std::vector<Cells> lines;
  std::vector<std::string> columns;
  for (const NetworkResult& network : networks)
    for (const auto& [column, value] : lines.emplace_back(summary_cells(network)))
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
  std::string text = csv_line(columns) + "\n";
  for (const Cells& cells : lines) {
    std::vector<std::string> values;
    for (const std::string& column : columns) {
      const auto found =
          std::find_if(cells.begin(), cells.end(), [&](const auto& one) { return one.first == column; });
      values.push_back(found == cells.end() ? "" : found->second);
    }
    text += csv_line(values) + "\n";
  }
  return text;
}

namespace {

Json own_iterations_json(const std::optional<OwnIterationCount>& own) {
  if (!own) return {};
  return {{"runs", own->runs}, {"warmup", own->warmup}, {"limit_s", or_null(own->limit_s)}};
}

}  // namespace

Json network_json(const NetworkResult& network) {
  Json json{{"pipeline", network.name},
            {"network", network.network},
            {"dtype", network.dtype},
            {"about", network.about},
            {"parameters", or_null(network.parameters)},
            {"multiply_adds", or_null(network.multiply_adds)},
            {"complete", network.complete()},
            {"pipeline_latency_ms", network.latency_s() * 1e3},
            {"bottleneck_latency_ms", network.bottleneck_s() * 1e3}};
  json["throughput_per_s"] = network.bottleneck_s() > 0 ? Json(1 / network.bottleneck_s()) : Json();
  json["pipeline_energy_j"] = or_null(network.energy_j());
  json["pipeline_energy_with_idle_j"] = or_null(network.energy_with_idle_j());
  if (!network.energy_missing.empty()) json["energy_missing"] = network.energy_missing;
  json["idle_w"] = or_null(network.idle_w);
  json["buffers"] = network.buffers;
  json["error_percent"] = network.against_whole ? Json(100 * network.against_whole->value) : Json();
  json["half_width_percent"] = network.against_whole ? Json(100 * network.against_whole->half_width) : Json();
  json["program_iterations"] = own_iterations_json(network.own_iterations);
  json["roof_flop_per_s"] = network.roof ? Json(network.roof->flop_per_s) : Json();
  json["roof_byte_per_s"] = network.roof ? Json(network.roof->byte_per_s) : Json();
  const Roof roof = network.roof.value_or(Roof{});
  json["roof_convolution_flop_per_s"] = or_null(roof.convolution_flop_per_s);
  json["cache_bytes"] = or_null(roof.cache_bytes);
  for (const std::string& buffers : alone_in(network)) {
    Json& alone = json["isolated"][buffers];
    alone["pipeline_latency_ms"] =
        network.isolated_latency_s(buffers) ? Json(1e3 * *network.isolated_latency_s(buffers)) : Json();
    alone["pipeline_energy_j"] = or_null(network.isolated_energy_j(buffers));
  }
  if (network.check) json["check"] = check_json(network, *network.check);
  json["layers"] = Json::array();
  for (const ReportedLayer& layer : rows_of(network))
    json["layers"].push_back(json_object(layer_columns(), layer));
  json["run"] = network.run;
  return json;
}

}  // namespace kjoule
