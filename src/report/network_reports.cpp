#include "report/network_reports.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/csv.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> scaled(const std::optional<Interval>& interval, double scale) {
  return interval ? std::optional(interval->value * scale) : std::nullopt;
}
std::optional<double> half_width(const std::optional<Interval>& interval, double scale) {
  return interval ? std::optional(interval->half_width * scale) : std::nullopt;
}
Json known(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}
std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}
std::string shown(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}
Json interval_json(const std::optional<Interval>& interval, double scale) {
  if (!interval) return {};
  return {(interval->value - interval->half_width) * scale, (interval->value + interval->half_width) * scale};
}

std::optional<double> per_second(double amount, const LayerResult& layer) {
  return layer.each_s && amount > 0 ? std::optional(amount / layer.each_s->value) : std::nullopt;
}
std::optional<double> tera_flops(const LayerResult& layer) {
  const auto rate = per_second(layer.flops(), layer);
  return rate ? std::optional(*rate * 1e-12) : std::nullopt;
}
std::optional<double> giga_bytes(const LayerResult& layer) {
  const auto rate = per_second(static_cast<double>(layer.bytes), layer);
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
            {"parameters", layer.parameters},
            {"multiply_adds", layer.multiply_adds},
            {"bytes", layer.bytes}};
  json["latency_ms"] = known(scaled(layer.each_s, 1e3));
  json["latency_interval_ms"] = interval_json(layer.each_s, 1e3);
  json["energy_j"] = known(scaled(layer.each_j, 1));
  json["energy_interval_j"] = interval_json(layer.each_j, 1);
  json["power_w"] = known(layer.watts());
  json["tflop_per_s"] = known(tera_flops(layer));
  json["gb_per_s"] = known(giga_bytes(layer));
  json["j_per_tflop"] = known(joules_per_tera_flop(layer));
  json["share_percent"] = known(times_100(share(network, layer)));
  if (!layer.error.empty()) json["error"] = layer.error;
  return json;
}

double to_percent(double value, double of) {
  return 100 * (value / of - 1);
}

/// Sum of the layers against the model.
Json check_json(const NetworkResult& network, const NetworkCheck& check) {
  Json json{{"model", check.model},
            {"whole_ms", check.whole_s.value * 1e3},
            {"whole_interval_ms", interval_json(check.whole_s, 1e3)},
            {"latency_error_signed_percent", to_percent(network.latency_s(), check.whole_s.value)}};
  json["whole_j"] = known(scaled(check.whole_j, 1));
  json["whole_interval_j"] = interval_json(check.whole_j, 1);
  const auto energy = network.energy_j();
  json["energy_error_signed_percent"] =
      energy && check.whole_j ? Json(to_percent(*energy, check.whole_j->value)) : Json();
  return json;
}

std::string check_text(const NetworkResult& network, const NetworkCheck& check) {
  std::string text =
      fmt::format("{}: {:.4f} +- {:.4f} ms, sum of layers {:+.2f} %", check.model, check.whole_s.value * 1e3,
                  check.whole_s.half_width * 1e3, to_percent(network.latency_s(), check.whole_s.value));
  const auto energy = network.energy_j();
  if (energy && check.whole_j)
    text += fmt::format("; {:.4f} +- {:.4f} J, sum of layers {:+.2f} %", check.whole_j->value,
                        check.whole_j->half_width, to_percent(*energy, check.whole_j->value));
  return text + "\n";
}

}  // namespace

std::string network_text(const NetworkResult& network) {
  std::string text = fmt::format("{}: {}\n{:.2f} M parameters, {:.3f} G multiply-adds\n", network.name,
                                 network.about, static_cast<double>(network.parameters) * 1e-6,
                                 static_cast<double>(network.multiply_adds) * 1e-9);
  text +=
      fmt::format("{:>6} {:>10} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8}  {:<12} {:<18} {}\n", "count", "each ms",
                  "+-%", "W", "each J", "TFLOP/s", "GB/s", "share %", "kind", "input", "layer");
  for (const LayerResult& layer : network.layers) {
    std::optional<double> spread;
    if (layer.each_s && layer.each_s->value > 0)
      spread = 100 * layer.each_s->half_width / layer.each_s->value;
    text += fmt::format("{:>6} {:>10} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8}  {:<12} {:<18} {}\n", layer.count,
                        shown(scaled(layer.each_s, 1e3), 4), shown(spread, 1), shown(layer.watts(), 0),
                        shown(scaled(layer.each_j, 1), 4), shown(tera_flops(layer), 3),
                        shown(giga_bytes(layer), 1), shown(times_100(share(network, layer)), 2), layer.kind,
                        layer.shape, layer.error.empty() ? layer.name : layer.name + ": " + layer.error);
  }
  text += fmt::format("{} {:.4f} ms, longest layer {:.4f} ms",
                      network.complete() ? "all layers" : "layers that were measured",
                      network.latency_s() * 1e3, network.bottleneck_s() * 1e3);
  if (const auto energy = network.energy_j()) text += fmt::format(", {:.4f} J", *energy);
  if (const auto energy = network.energy_with_idle_j())
    text += fmt::format(", as a full pipeline {:.4f} J (idle {:.1f} W)", *energy, *network.idle_w);
  text += "\n";
  if (network.check) text += check_text(network, *network.check);
  return text;
}

std::string network_csv(const NetworkResult& network) {
  std::string text = csv_line({"pipeline",      "layer",
                               "kind",          "operator",
                               "input_shape",   "count",
                               "launches",      "parameters",
                               "multiply_adds", "bytes",
                               "latency_ms",    "latency_half_width_ms",
                               "energy_j",      "energy_half_width_j",
                               "power_w",       "tflop_per_s",
                               "gb_per_s",      "j_per_tflop",
                               "share_percent", "error"}) +
                     "\n";
  for (const LayerResult& layer : network.layers)
    text += csv_line({network.name,
                      layer.name,
                      layer.kind,
                      layer.call,
                      layer.shape,
                      std::to_string(layer.count),
                      std::to_string(layer.launches),
                      std::to_string(layer.parameters),
                      std::to_string(layer.multiply_adds),
                      std::to_string(layer.bytes),
                      cell(scaled(layer.each_s, 1e3)),
                      cell(half_width(layer.each_s, 1e3)),
                      cell(scaled(layer.each_j, 1)),
                      cell(half_width(layer.each_j, 1)),
                      cell(layer.watts()),
                      cell(tera_flops(layer)),
                      cell(giga_bytes(layer)),
                      cell(joules_per_tera_flop(layer)),
                      cell(times_100(share(network, layer))),
                      layer.error}) +
            "\n";
  return text;
}

std::string network_summary_csv(const NetworkResult& network) {
  std::vector<std::string> names{"pipeline"}, values{network.name};
  for (const LayerResult& layer : network.layers) {
    names.insert(names.end(), {"layer_avg_latency_ms__" + layer.name, "layer_avg_energy_J__" + layer.name,
                               "layer_avg_power_W__" + layer.name});
    values.insert(values.end(),
                  {cell(scaled(layer.each_s, 1e3)), cell(scaled(layer.each_j, 1)), cell(layer.watts())});
  }
  names.insert(names.end(), {"pipeline_latency_ms", "pipeline_energy_J", "bottleneck_latency_ms",
                             "pipeline_energy_with_idle_J"});
  // a sum that lacks a layer is none
  const bool whole = network.complete();
  values.insert(
      values.end(),
      {whole ? cell(network.latency_s() * 1e3) : "", whole ? cell(network.energy_j()) : "",
       whole ? cell(network.bottleneck_s() * 1e3) : "", whole ? cell(network.energy_with_idle_j()) : ""});
  return csv_line(names) + "\n" + csv_line(values) + "\n";
}

Json network_json(const nlohmann::json& run, const NetworkResult& network) {
  Json json{{"pipeline", network.name},
            {"about", network.about},
            {"parameters", network.parameters},
            {"multiply_adds", network.multiply_adds},
            {"complete", network.complete()},
            {"pipeline_latency_ms", network.latency_s() * 1e3},
            {"bottleneck_latency_ms", network.bottleneck_s() * 1e3}};
  json["throughput_per_s"] = network.bottleneck_s() > 0 ? Json(1 / network.bottleneck_s()) : Json();
  json["pipeline_energy_j"] = known(network.energy_j());
  json["pipeline_energy_with_idle_j"] = known(network.energy_with_idle_j());
  json["idle_w"] = known(network.idle_w);
  if (network.check) json["check"] = check_json(network, *network.check);
  json["layers"] = Json::array();
  for (const LayerResult& layer : network.layers) json["layers"].push_back(layer_json(network, layer));
  json["run"] = run;
  return json;
}

}  // namespace kjoule
