#include "power/meters/power_source.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "power/meters/csv_source.hpp"
#include "power/meters/nvidia_smi.hpp"
#include "power/meters/nvml_counter.hpp"
#include "power/meters/nvml_samples.hpp"
#include "power/meters/rapl.hpp"
#include "power/meters/wattsup.hpp"

namespace kjoule {

std::vector<std::unique_ptr<PowerSource>> power_sources(const PowerPlaces& places) {
  std::vector<std::unique_ptr<PowerSource>> all;
  all.push_back(nvml_samples_source());
  all.push_back(nvml_counter_source());
  all.push_back(nvidia_smi_source(places.interval_s));
  all.push_back(rapl_source(places.powercap));
  all.push_back(wattsup_source(places.ports, places.devices));
  return all;
}

std::unique_ptr<PowerSource> power_source(const std::string& name, PowerPlaces places) {
  constexpr std::string_view csv = "csv:";
  if (name.starts_with(csv) && name.size() > csv.size()) {
    places.csv = name.substr(csv.size());
    return csv_source(places);
  }
  for (auto& source : power_sources(places))
    if (source->name() == name) return std::move(source);
  throw Error(name + ": no such source",
              "the sources are nvml, nvml-counter, nvidia-smi, wattsup, rapl and csv:FILE");
}

}  // namespace kjoule
