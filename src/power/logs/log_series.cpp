#include "power/logs/log_series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "power/meters/gpu_names.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

namespace {

std::string names_of(const std::vector<const PowerSeries*>& all) {
  std::string names;
  for (const PowerSeries* series : all) names += (names.empty() ? "" : ", ") + series->name;
  return names;
}

/// Returns whether a series is the GPU's main one: "gpu 0", not "gpu 0 power.draw.instant".
bool plain_gpu(const PowerSeries& series) {
  return !series.gpu.empty() && series.column.empty();
}

bool of_gpu(const PowerSeries& series, const std::string& gpu) {
  return plain_gpu(series) && is_same_gpu_name(series.gpu, gpu);
}

}  // namespace

std::vector<const PowerSeries*> chosen_series(const PowerLog& log, const SeriesChoice& choice) {
  std::vector<const PowerSeries*> all, chosen;
  for (const PowerSeries& series : log.series) all.push_back(&series);
  const auto choose = [&](const std::string& asked, const auto& is_meant) {
    const size_t before = chosen.size();
    bool exists = false;
    for (const PowerSeries* series : all) {
      if (!is_meant(*series)) continue;
      exists = true;
      if (std::find(chosen.begin(), chosen.end(), series) == chosen.end()) chosen.push_back(series);
    }
    if (!exists)
      throw Error(fmt::format("{}: has no {}", log.path, asked),
                  "choose one of its series: " + names_of(all));
    if (chosen.size() == before)
      throw Error(fmt::format("{}: {} was chosen twice", log.path, asked), "name each GPU and series once");
  };
  for (const std::string& gpu : choice.gpus)
    choose("gpu " + gpu, [&](const PowerSeries& s) { return gpu == "all" ? plain_gpu(s) : of_gpu(s, gpu); });
  for (const std::string& name : choice.names)
    choose("series " + name, [&](const PowerSeries& s) { return s.name == name; });
  if (!chosen.empty()) return chosen;
  if (log.format == "wattsup") return all;
  for (const PowerSeries* series : all)
    if (series->column.empty()) chosen.push_back(series);
  if (chosen.empty()) chosen = all;
  if (chosen.size() > 1)
    throw Error(
        fmt::format("{}: contains {} series: {}", log.path, chosen.size(), names_of(chosen)),
        std::any_of(chosen.begin(), chosen.end(), [](const auto* one) { return plain_gpu(*one); })
            ? "choose with --gpu N (or --gpu all for their sum), or with --series NAME"
            : "choose with --series NAME (several are added), or give --device-column none if all readings "
              "are of one device");
  return chosen;
}

LogFacts log_facts(const PowerLog& log) {
  if (log.format == "wattsup")
    return {"the whole system: everything connected to the meter, including power supply losses and fans",
            kWattsupAccuracy, kWattsupAccuracyFrom};
  if (log.format == "tegrastats")
    return {"the rails of the Jetson module that the log lists, without power supply losses", {}, ""};
  if (log.format == "turbostat")
    return {"the processor packages only, without memory, GPUs and power supply losses", {}, ""};
  if (log.format == "ptdaemon")
    return {"the whole system: everything connected to the meter, including power supply losses and fans",
            {},
            ""};
  if (log.format == "amd-smi")
    return {"the GPU board only, without its host and power supply losses", {}, ""};
  if (log.format == "nvidia-smi" || log.format == "gpu" || log.format == "nvidia-smi-dmon" ||
      log.format == "dcgmi")
    return {"the GPU board only, without its host and power supply losses", kBoardAccuracy,
            kBoardAccuracyFrom};
  return {"whatever the log's meter measures", {}, ""};
}

}  // namespace kjoule
