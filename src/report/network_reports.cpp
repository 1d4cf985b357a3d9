#include "report/network_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/files/csv.hpp"
#include "base/json/optional_json.hpp"
#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "report/interval_json.hpp"
#include "report/layer_columns.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

std::string cell(const std::optional<double>& value) {
  return value ? number_cell(*value) : "";
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

/// Returns two lines for each layer: its name, kind and input, then its numbers.
std::string layers_table(const NetworkResult& network, const std::vector<std::string>& beside) {
  const std::vector<ReportedLayer> rows = rows_of(network);
  const ShownColumns columns(layer_columns(), Place::first_screen, rows, ColumnGaps{});
  std::string text = "layer\n" + columns.heads() + "\n";
  for (const auto& [of, layer] : rows) {
    std::string name = layer_title(*layer);
    for (const std::string& buffers : beside) {
      const auto each_s = alone(*layer, buffers, &IsolatedLayer::each_s);
      name += fmt::format("  {} {} ms", buffers, each_s ? fmt::format("{:.4f}", each_s->value * 1e3) : "-");
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
  json["whole_j"] = value_json(check.whole_j);
  json["whole_interval_j"] = interval_json(check.whole_j);
  const auto energy = network.energy_j();
  json["energy_error_percent"] =
      energy && check.whole_j ? Json(to_percent(*energy, check.whole_j->value)) : Json();
  return json;
}

std::string check_text(const NetworkResult& network, const NetworkCheck& check) {
  std::string text = fmt::format("{}: {:.4f} +- {:.4f} ms; the sum of the layers differs from this by {} %",
                                 check.model, check.whole_s.value * 1e3, check.whole_s.half_width * 1e3,
                                 signed_text(to_percent(network.latency_s(), check.whole_s.value), 2));
  const auto energy = network.energy_j();
  if (energy && check.whole_j)
    text += fmt::format("; {:.4f} +- {:.4f} J; the sum of the layers' energies differs from this by {} %",
                        check.whole_j->value, check.whole_j->half_width,
                        signed_text(to_percent(*energy, check.whole_j->value), 2));
  return text;
}

std::string alone_text(const NetworkResult& network, const std::string& buffers) {
  const auto latency_s = network.isolated_latency_s(buffers);
  if (!latency_s) return fmt::format("{}: not all layers were measured", buffers);
  std::string text = fmt::format(
      "{}: sum of all layers in isolation {:.4f} ms, {} % compared with {}", buffers, *latency_s * 1e3,
      signed_text(to_percent(*latency_s, network.latency_s()), 2), network.buffers);
  const auto energy_j = network.isolated_energy_j(buffers), in_context_j = network.energy_j();
  if (energy_j && in_context_j)
    text += fmt::format("; {:.4f} J, {} %", *energy_j, signed_text(to_percent(*energy_j, *in_context_j), 2));
  return text;
}

/// Returns the finding that layers are faster than the roof allows: a sentence for each reason.
std::vector<std::string> above_roof_notes(const NetworkResult& network) {
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
  std::vector<std::string> notes;
  for (const auto& [reason, layers] : layers_of)
    notes.push_back(fmt::format("above the roof: {}: {}", reason, layers));
  return notes;
}

/// Returns the note that fewer iterations than by default were run; empty if not.
std::string own_iterations_text(const NetworkResult& network) {
  const auto& own = network.own_iterations;
  if (!own || !own->limit_s) return "";
  return fmt::format(
      "whole iterations of the network: {} timed, {} untimed; more would have taken longer than {:g} s "
      "(--runs and --warmup set the numbers)",
      own->runs, own->warmup, *own->limit_s);
}

std::string against_whole_text(const NetworkResult& network) {
  return network.against_whole
             ? fmt::format(
                   "the sum of the layers differs from the network replayed as a whole by {} % (95 % "
                   "interval +-{:.2f} %)",
                   signed_text(100 * network.against_whole->value, 2),
                   100 * network.against_whole->half_width)
             : fmt::format(
                   "layers were measured in isolation (--buffers {}), so their data in the caches are "
                   "not those of the network",
                   network.buffers);
}

std::string roof_text(const Roof& roof) {
  const std::string convolutions =
      roof.convolution_flop_per_s
          ? fmt::format(" ({:.2f} TFLOP/s in TF32, for convolutions)", *roof.convolution_flop_per_s * 1e-12)
          : "";
  return fmt::format(
      "roof (measured peak rates): {:.2f} TFLOP/s by large matrix products{}, {:.1f} GB/s by copying, "
      "reading or writing much memory",
      roof.flop_per_s * 1e-12, convolutions, roof.byte_per_s * 1e-9);
}

std::string sums_text(const NetworkResult& network) {
  std::string text = fmt::format("{} {:.4f} ms, longest layer {:.4f} ms",
                                 network.complete() ? "sum of all layers" : "sum of the measured layers",
                                 network.latency_s() * 1e3, network.bottleneck_s() * 1e3);
  if (const auto energy = network.energy_j()) text += fmt::format(", {:.4f} J", *energy);
  if (const auto energy = network.energy_with_idle_j())
    text += fmt::format("; as a pipeline whose stages consume {:.1f} W while they wait, {:.4f} J",
                        *network.idle_w, *energy);
  return text;
}

}  // namespace

std::vector<std::string> network_notes(const NetworkResult& network) {
  std::vector<std::string> notes{sums_text(network), against_whole_text(network),
                                 own_iterations_text(network)};
  for (const std::string& buffers : alone_beside(network)) notes.push_back(alone_text(network, buffers));
  if (network.roof) notes.push_back(roof_text(*network.roof));
  if (!network.roof_missing.empty())
    notes.push_back("roof (peak rates): not measured: " + network.roof_missing);
  for (const std::string& note : above_roof_notes(network)) notes.push_back(note);
  if (network.check) notes.push_back(check_text(network, *network.check));
  std::erase(notes, "");
  return notes;
}

std::string network_heading(const NetworkResult& network) {
  return printable(network.name + (network.dtype.empty() ? "" : ", " + network.dtype) +
                   (network.about.empty() ? "" : ": " + network.about));
}

std::string network_text(const NetworkResult& network) {
  std::string text = wrapped("", network_heading(network));
  if (network.parameters && network.multiply_adds)
    text += fmt::format("{:.2f} M parameters, {:.3f} G multiply-adds\n",
                        static_cast<double>(*network.parameters) * 1e-6,
                        static_cast<double>(*network.multiply_adds) * 1e-9);
  text += layers_table(network, alone_beside(network));
  for (const std::string& note : network_notes(network)) text += wrapped("", note);
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
    cells.emplace_back("layer_avg_latency_ms__" + layer.name, csv_cell(value_json(layer.each_s, 1e3)));
    cells.emplace_back("layer_avg_energy_J__" + layer.name, csv_cell(value_json(layer.each_j)));
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
  if (!network.roof_missing.empty()) json["roof_missing"] = network.roof_missing;
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
