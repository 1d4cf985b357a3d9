#include "run/energy_meters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/optional_json.hpp"
#include "power/meters/polled_meter.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

namespace {

/// Returns the meter of the GPU with this UUID. If no meter has the UUID, returns the source's first meter,
/// unless that one measures a GPU and the UUID is known; then null.
const FoundMeter* meter_for(const std::vector<FoundMeter>& found, const std::string& uuid) {
  const auto its =
      std::find_if(found.begin(), found.end(), [&](const FoundMeter& meter) { return meter.id == uuid; });
  if (its != found.end()) return &*its;
  return found.front().facts.scope == Scope::gpu && !uuid.empty() ? nullptr : &found.front();
}

std::unique_ptr<Meter> open_from(PowerSource& source, const std::string& uuid) {
  const std::vector<FoundMeter> found = source.find();
  const FoundMeter* meter = meter_for(found, uuid);
  if (meter == nullptr)
    throw Error(source.name() + " does not see GPU " + uuid, "kjoule power devices lists what it sees");
  return source.open(*meter);
}

/// Opens the source that the user named, or a log that another program is writing.
EnergyMeters named(const EnergyMeterOptions& options, const PowerSourceOptions& places,
                   const std::string& uuid) {
  EnergyMeters opened;
  opened.meters.push_back(open_from(*power_source(options.asked_source(), places), uuid));
  return opened;
}

/// Opens the GPU's energy counter and its power samples, or the one of them that is available.
EnergyMeters own(const PowerSourceOptions& places, const std::string& uuid) {
  EnergyMeters opened;
  if (uuid.empty()) {
    opened.lack = "no power meter for this device was found (choose one with --power-source)";
    return opened;
  }
  for (const char* name : {"nvml-counter", "nvml", "nvidia-smi"}) {
    if (opened.meters.size() == 2) break;
    try {
      opened.meters.push_back(open_from(*power_source(name, places), uuid));
    } catch (const Error& error) {
      if (opened.lack.empty()) opened.lack = error.what();
    }
  }
  if (!opened.meters.empty()) opened.lack.clear();
  return opened;
}

}  // namespace

std::string EnergyMeterOptions::asked_source() const {
  if (!source.empty()) return source;
  const std::string& file = log.empty() ? exported_log : log;
  return file.empty() ? "" : "csv:" + file;
}

void EnergyMeters::poll() {
  if (!real_time) return;
  for (auto& meter : meters) meter = make_polled_meter(std::move(meter));
}

EnergyMeters open_energy_meters(const Subject& subject, const EnergyMeterOptions& options) {
  if (options.off) return {{}, "not requested", false};
  PowerSourceOptions places;
  places.interval_s = options.interval_s;
  const std::string uuid = subject.device->info().description.value("uuid", "");
  if (options.asked()) return named(options, places, uuid);
  if (subject.own_meters) {
    EnergyMeters opened{subject.own_meters(), "", false};
    if (opened.meters.empty()) opened.lack = "the simulated device has no meter";
    return opened;
  }
  return own(places, uuid);
}

nlohmann::json facts_json(const MeterFacts& facts) {
  return {{"source", facts.source},
          {"name", facts.name},
          {"scope", scope_name(facts.scope)},
          {"quantity", facts.quantity == Quantity::power_w ? "power" : "energy counter"},
          {"tick_s", facts.tick_s},
          {"averaging_s", facts.averaging_s},
          {"duty", or_null(facts.duty)},
          {"resolution", facts.value_step},
          {"resolution_unit", unit_of(facts.quantity)},
          {"sensor_rate_hz", or_null(facts.sensor_rate_hz)}};
}

}  // namespace kjoule
