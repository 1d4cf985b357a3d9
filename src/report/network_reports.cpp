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
std::string cell(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "";
}
std::string shown(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}
Json interval_json(const std::optional<Interval>& interval, double scale) {
  if (!interval) return {};
  return {(interval->value - interval->half_width) * scale, (interval->value + interval->half_width) * scale};
}

ShownInterval shown(const std::optional<Interval>& interval, double scale, const char* unit) {
  if (!interval) return {"-", "-"};
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
std::optional<double> share(const NetworkResult& network, const LayerResult& layer) {
  if (!layer.each_s || network.latency_s() <= 0) return {};
  return static_cast<double>(layer.count) * layer.each_s->value / network.latency_s();
}
/// Returns the layer's share of the roof; nothing if it would be above 1, which no work can reach.
std::optional<double> share_of_roof(const NetworkResult& network, const LayerResult& layer) {
  const auto share = network.of_roof(layer);
  return share && *share <= 1 ? share : std::nullopt;
}
/// Returns the layer's share of the roof if it is above 1, that is, if the layer seems to be faster than the
/// roof allows; otherwise nothing.
std::optional<double> above_roof(const NetworkResult& network, const LayerResult& layer) {
  const auto share = network.of_roof(layer);
  return share && *share > 1 ? share : std::nullopt;
}
/// Returns "compute" or "memory": which of the two, the layer's FLOPs or bytes, need more time at the roofs;
/// empty if the roofs are not known.
const char* bound(const NetworkResult& network, const LayerResult& layer) {
  const auto least = network.roof ? layer.least_time(*network.roof) : std::nullopt;
  if (!least) return "";
  return least->is_compute ? "compute" : "memory";
}
/// Returns possible reasons why a layer is faster than the roof allows.
std::string reason_above_roof(const NetworkResult& network, const LayerResult& layer) {
  const auto& cache = network.roof->cache_bytes;
  if (layer.least_time(*network.roof)->is_compute)
    return layer.kind == "conv"
               ? "the algorithm may compute less than is counted (Winograd, FFT), or the roof "
                 "was measured too low"
               : "the FLOPs are counted too high, or the roof was measured too low";
  if (cache && *layer.bytes <= *cache)
    return fmt::format("the data fit into the cache of {:.1f} MB, which is faster than the memory",
                       static_cast<double>(*cache) * 1e-6);
  return "a part of the data was in a cache or is not read, or the roof was measured too low";
}

Json alone_json(const LayerResult& layer) {
  Json json = Json::object();
  for (const auto& [buffers, alone] : layer.isolated) {
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

Json layer_json(const NetworkResult& network, const LayerResult& layer) {
  Json json{{"name", layer.name},
            {"kind", layer.kind},
            {"operator", layer.call},
            {"input_shape", layer.shape},
            {"count", layer.count},
            {"launches", layer.launches},
            {"parameters", or_null(layer.parameters)},
            {"multiply_adds", or_null(layer.multiply_adds)},
            {"bytes", or_null(layer.bytes)}};
  json["latency_ms"] = or_null(scaled(layer.each_s, 1e3));
  json["latency_interval_ms"] = interval_json(layer.each_s, 1e3);
  json["energy_j"] = or_null(scaled(layer.each_j, 1));
  json["energy_interval_j"] = interval_json(layer.each_j, 1);
  json["power_w"] = or_null(layer.watts());
  json["tflop_per_s"] = or_null(tera_flops(layer));
  json["gb_per_s"] = or_null(giga_bytes(layer));
  json["j_per_tflop"] = or_null(joules_per_tera_flop(layer));
  json["share_percent"] = or_null(times_100(share(network, layer)));
  json["roofline_percent"] = or_null(times_100(share_of_roof(network, layer)));
  json["roofline_bound"] = bound(network, layer);
  if (const auto above = above_roof(network, layer))
    json["above_roof"] = {{"percent", 100 * *above}, {"reason", reason_above_roof(network, layer)}};
  if (!layer.isolated.empty()) json["isolated"] = alone_json(layer);
  if (!layer.error.empty()) json["error"] = layer.error;
  return json;
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
    const auto above = above_roof(network, layer);
    if (!above) continue;
    const std::string reason = reason_above_roof(network, layer);
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

/// Returns two lines for each layer: its name, kind and input, then its numbers.
std::string layers_table(const NetworkResult& network, const std::vector<std::string>& beside) {
  constexpr const char* kCells = "{:>6} {:>9} {:>8} {:>5} {:>9} {:>8} {:>7} {:>7} {:>6} {:>7}\n";
  std::string text = "layer\n" + fmt::format(kCells, "count", "each ms", "+-", "W", "each J", "+-", "TFLOP/s",
                                             "GB/s", "roof %", "share %");
  for (const LayerResult& layer : network.layers) {
    const ShownInterval latency = shown(layer.each_s, 1e3, "ms"), energy = shown(layer.each_j, 1, "J");
    std::string name = printable(layer.name) + "  " + layer.kind + " " + layer.shape;
    for (const std::string& buffers : beside)
      name += fmt::format("  {} {} ms", buffers,
                          shown(scaled(alone(layer, buffers, &IsolatedLayer::each_s), 1e3), 4));
    if (!layer.error.empty()) name += ": " + printable(layer.error);
    text +=
        table_row("", name) +
        fmt::format(kCells, layer.count, latency.value, latency.half_width, shown(layer.watts(), 0),
                    energy.value, energy.half_width, shown(tera_flops(layer), 3), shown(giga_bytes(layer), 1),
                    above_roof(network, layer) ? ">100" : shown(times_100(share_of_roof(network, layer)), 1),
                    shown(times_100(share(network, layer)), 2));
  }
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

std::string network_csv(const std::vector<NetworkResult>& networks) {
  std::string text = csv_line({"pipeline",
                               "network",
                               "dtype",
                               "layer",
                               "kind",
                               "operator",
                               "input_shape",
                               "count",
                               "launches",
                               "parameters",
                               "multiply_adds",
                               "bytes",
                               "latency_ms",
                               "latency_half_width_ms",
                               "energy_j",
                               "energy_half_width_j",
                               "power_w",
                               "tflop_per_s",
                               "gb_per_s",
                               "j_per_tflop",
                               "share_percent",
                               "roofline_percent",
                               "roofline_bound",
                               "above_roof_percent",
                               "rotate_latency_ms",
                               "rotate_energy_j",
                               "same_latency_ms",
                               "same_energy_j",
                               "error",
                               "energy_missing"}) +
                     "\n";
  for (const NetworkResult& network : networks)
    for (const LayerResult& layer : network.layers)
      text += csv_line({network.name,
                        network.network,
                        network.dtype,
                        layer.name,
                        layer.kind,
                        layer.call,
                        layer.shape,
                        std::to_string(layer.count),
                        std::to_string(layer.launches),
                        cell(layer.parameters),
                        cell(layer.multiply_adds),
                        cell(layer.bytes),
                        cell(scaled(layer.each_s, 1e3)),
                        cell(half_width(layer.each_s, 1e3)),
                        cell(scaled(layer.each_j, 1)),
                        cell(half_width(layer.each_j, 1)),
                        cell(layer.watts()),
                        cell(tera_flops(layer)),
                        cell(giga_bytes(layer)),
                        cell(joules_per_tera_flop(layer)),
                        cell(times_100(share(network, layer))),
                        cell(times_100(share_of_roof(network, layer))),
                        bound(network, layer),
                        cell(times_100(above_roof(network, layer))),
                        cell(scaled(alone(layer, "rotate", &IsolatedLayer::each_s), 1e3)),
                        cell(scaled(alone(layer, "rotate", &IsolatedLayer::each_j), 1)),
                        cell(scaled(alone(layer, "same", &IsolatedLayer::each_s), 1e3)),
                        cell(scaled(alone(layer, "same", &IsolatedLayer::each_j), 1)),
                        layer.error,
                        layer.each_j ? "" : network.energy_missing}) +
              "\n";
  return text;
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
  for (const LayerResult& layer : network.layers) json["layers"].push_back(layer_json(network, layer));
  json["run"] = network.run;
  return json;
}

}  // namespace kjoule
