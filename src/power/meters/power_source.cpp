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

std::vector<std::unique_ptr<PowerSource>> power_sources(const PowerSourceOptions& options) {
  std::vector<std::unique_ptr<PowerSource>> all;
  all.push_back(nvml_samples_source());
  all.push_back(nvml_counter_source());
  all.push_back(nvidia_smi_source(options.interval_s));
  all.push_back(rapl_source(options.powercap));
  all.push_back(wattsup_source(options.ports, options.devices));
  return all;
}

std::unique_ptr<PowerSource> power_source(const std::string& name, PowerSourceOptions options) {
  constexpr std::string_view csv = "csv:";
  if (name.starts_with(csv) && name.size() > csv.size()) {
    options.csv = name.substr(csv.size());
    return csv_source(options);
  }
  for (auto& source : power_sources(options))
    if (source->name() == name) return std::move(source);
  throw Error(name + ": no such source",
              "the sources are nvml, nvml-counter, nvidia-smi, wattsup, rapl and csv:FILE");
}

}  // namespace kjoule
