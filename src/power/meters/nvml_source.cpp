#include "power/meters/nvml_source.hpp"

#include <utility>

#include "base/error.hpp"

namespace kjoule {

std::vector<FoundMeter> NvmlSource::find() {
  const auto nvml = Nvml::open();
  const std::vector<NvmlDevice> gpus = nvml->devices();
  std::vector<FoundMeter> found;
  for (const NvmlDevice& gpu : gpus) {
    try {
      found.push_back(describe(*nvml, gpu));
    } catch (const Error& error) {  // an error of one GPU must not hide the others
      if (gpus.size() == 1) throw;
      found.push_back({.facts = facts_of_unread(gpu), .lack = error.what(), .remedy = error.remedy()});
    }
    found.back().id = gpu.uuid;
    found.back().device = gpu.name;
  }
  return found;
}

std::unique_ptr<Meter> NvmlSource::open(const FoundMeter& found) {
  if (!found.lack.empty()) throw Error(found.facts.name + ": " + found.lack, found.remedy);
  auto nvml = Nvml::open();
  NvmlDevice gpu = nvml->device(found.id);
  return make_meter(std::move(nvml), std::move(gpu));
}

}  // namespace kjoule
