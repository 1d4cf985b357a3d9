#include "run/energy_counters.hpp"

#include "base/error.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

std::map<std::string, std::unique_ptr<Meter>> open_energy_counters(
    std::map<std::string, std::string>& lacks) {
  std::map<std::string, std::unique_ptr<Meter>> counters;
  const auto source = power_source("nvml-counter", {});
  for (const FoundMeter& found : source->find()) {
    try {
      counters[found.id] = source->open(found);
    } catch (const Error& error) {
      lacks[found.id] = error.what();
    }
  }
  return counters;
}

}  // namespace kjoule
