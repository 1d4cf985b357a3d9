#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/energy/energy_measurement.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The idle power by several meters, which were read at the same times.
struct IdleReadings {
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<std::optional<double>> mean_w;  ///< by meter
};

/// Measures idle power, while the program is paused.
IdleReadings measure_idle(const Subject& subject, std::span<MeterRecord> meters,
                          const EnergyOptions& options);

}  // namespace kjoule
