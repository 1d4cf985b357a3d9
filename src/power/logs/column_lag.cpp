#include "power/logs/column_lag.hpp"

#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

/// Sources: nvidia-smi --help-query-gpu says that power.draw and power.draw.average are means over one second
/// from Ampere on. NVML's header says the same of the power usage, which other loggers read. The sensors of
/// boards have a new value at least every 0.1 s.
constexpr double kAverage_s = 1;
constexpr double kSensorInterval_s = 0.1;

}  // namespace

MeterLag lag_of_column(const LogColumns& columns, const LogColumns::Value& value, double interval_s) {
  if (columns.format == "wattsup") return {kAverage_s, 0, "WattsUp meters send one mean per second"};
  if (columns.scope() != Scope::gpu || columns.format == "amd-smi")
    return {interval_s, interval_s, "not known: each reading is taken for the mean since the one before it"};
  if (lower(value.title).starts_with("power.draw.instant"))
    return {kSensorInterval_s, kSensorInterval_s, "nvidia-smi's power.draw.instant"};
  const bool is_smi = columns.format == "nvidia-smi";
  return {
      kAverage_s, kSensorInterval_s,
      is_smi ? "nvidia-smi's power.draw" : "the mean over 1 s that NVML and nvidia-smi report by default"};
}

}  // namespace kjoule
