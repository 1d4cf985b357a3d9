#include "cli/options/power_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "cli/options/comma_list.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

namespace {

/// Returns the meters of the requested GPUs. If no GPU is requested, returns the readable meters, or all
/// meters if none is readable.
std::vector<FoundMeter> picked(std::vector<FoundMeter> found, const std::vector<std::string>& gpus) {
  if (!gpus.empty()) return meters_of_gpus(found, gpus);
  std::vector<FoundMeter> chosen;
  std::copy_if(found.begin(), found.end(), std::back_inserter(chosen),
               [](const FoundMeter& meter) { return meter.lack.empty(); });
  // WattsUp meters must all be readable, so none is left out.
  const bool all = chosen.empty() || found.front().facts.source == "wattsup";
  return all ? found : chosen;
}

}  // namespace

void PowerOptions::declare(CLI::App& app) {
  meter_input(
      app.add_option("--source", source,
                     fmt::format("power meter: {}; default: the first one that is available", kSourceHelp)));
  add_list(app, "--port", places.ports,
           "serial ports of at most 4 WattsUp meters, such as /dev/ttyUSB0,/dev/ttyUSB1, which is the "
           "default");
  app.add_option("--gpu", gpus, "GPU to read, by index or UUID; default: all GPUs");
  app.add_option("--column", places.csv_columns,
                 "column of powers in csv:FILE, in W unless its name states another unit; default: a column "
                 "with a usual name");
  app.add_option("--time-column", places.csv_time,
                 "column of times in csv:FILE; default: a column with a usual name");
}

std::vector<std::unique_ptr<Meter>> ChosenMeters::open() const {
  std::vector<std::unique_ptr<Meter>> meters;
  for (const FoundMeter& one : found) meters.push_back(source->open(one));
  return meters;
}

ChosenMeters choose_meters(const PowerOptions& options) {
  std::string name = options.source;
  if (name.empty() && !options.places.ports.empty()) name = "wattsup";
  if (!name.empty()) {
    auto source = power_source(name, options.places);
    std::vector<FoundMeter> found = picked(source->find(), options.gpus);
    return {std::move(source), std::move(found)};
  }
  for (auto& source : power_sources(options.places)) {
    try {
      std::vector<FoundMeter> found = picked(source->find(), options.gpus);
      const bool readable =
          std::all_of(found.begin(), found.end(), [](const auto& one) { return one.lack.empty(); });
      if (readable) return {std::move(source), std::move(found)};
    } catch (const Error&) {  // `kjoule power devices` reports the reason
    }
  }
  if (!options.gpus.empty())
    throw Error("no source measures the power of GPU " + options.gpus.front(),
                "kjoule power devices shows why");
  throw Error("this machine has no power source", "kjoule power devices shows why");
}

}  // namespace kjoule
