#include "run/idle_readings.hpp"

#include <algorithm>

namespace kjoule {

IdleReadings measure_idle(const Subject& subject, std::span<MeterRecord> meters,
                          const EnergyOptions& options) {
  double averaging_s = 0;
  for (const MeterRecord& meter : meters)
    averaging_s = std::max(averaging_s, meter.meter().facts().averaging_s);
  IdleReadings idle;
  subject.let_pass(std::max(options.idle_settle_s, averaging_s));
  idle.begin_ns = subject.clock->now_ns();
  subject.let_pass(std::max(options.idle_span_s, kAveragingTimes * averaging_s));
  for (MeterRecord& meter : meters) meter.read();
  idle.end_ns = subject.clock->now_ns();
  for (const MeterRecord& meter : meters) idle.mean_w.push_back(meter.mean_w(idle.begin_ns, idle.end_ns));
  return idle;
}

}  // namespace kjoule
