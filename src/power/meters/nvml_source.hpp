#pragma once
#include <memory>
#include <vector>

#include "power/meters/nvml.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

/// A source with one meter for each GPU, which NVML reads.
class NvmlSource : public PowerSource {
 public:
  std::vector<FoundMeter> find() final;
  std::unique_ptr<Meter> open(const FoundMeter& found) final;

 private:
  /// Returns the facts of a GPU's meter and, if the meter cannot be read, the reason and its remedy.
  virtual FoundMeter describe(const Nvml& nvml, const NvmlDevice& gpu) const = 0;
  /// Returns the facts of the meter of a GPU for which describe() failed.
  virtual MeterFacts facts_of_unread(const NvmlDevice& gpu) const = 0;
  virtual std::unique_ptr<Meter> make_meter(std::shared_ptr<Nvml> nvml, NvmlDevice gpu) const = 0;
};

}  // namespace kjoule
