#include "measure/isolated/isolated_reading.hpp"

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

Interval per_repeat(const SteadyReading& reading) {
  Interval each = mean_interval(reading.piece_s);
  each.value = reading.repeat_s;
  return each;
}

std::optional<double> first_mean_w(const SteadyReading& reading) {
  return reading.mean_w.empty() ? std::nullopt : reading.mean_w.front();
}

}  // namespace

IsolatedReading isolated_reading(const SteadyReading& reading, int64_t copies) {
  const Interval all = per_repeat(reading);
  return {.each_s = {all.value / static_cast<double>(copies), all.half_width / static_cast<double>(copies)},
          .mean_w = first_mean_w(reading),
          .clock_hz = reading.clock_hz,
          .read_s = static_cast<double>(reading.end_ns - reading.begin_ns) * 1e-9,
          .throttle_reasons = reading.throttle_reasons};
}

}  // namespace kjoule
