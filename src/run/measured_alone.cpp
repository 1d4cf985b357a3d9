// MeasuredRun::alone(): works of a recording in isolation, with meters.
#include <algorithm>

#include "run/measured_run.hpp"

namespace kjoule {

namespace {

/// Timing of a reading without meters.
constexpr double kSettle_s = 0.02;
constexpr double kSpan_s = 0.05;

AloneResult played_alone(Device& device, const AloneWork& work, std::span<MeterRecord> meters,
                         const AloneOptions& options) {
  try {
    return {work.name, measure_alone(device, work.copies, meters, options), ""};
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    return {work.name, {}, error.what()};
  }
}

}  // namespace

std::vector<AloneResult> MeasuredRun::alone(const std::vector<AloneWork>& works, EnergyMeters& opened,
                                            const AloneOptions& options, const EnergyOptions& energy) {
  std::vector<AloneResult> all = rows().all<AloneResult>();
  progress_->stage("layers alone");
  AloneOptions timed = options;
  timed.settle_s = kSettle_s;
  timed.span_s = kSpan_s;
  if (!opened.meters.empty()) {
    const EnergyPlan plan = make_energy_plan({}, 0, opened.meters.front()->facts());
    timed.settle_s = plan.settle_s;
    timed.span_s = plan.span_s;
  }
  opened.poll();
  std::vector<MeterRecord> meters = records_under_load(opened.meters);
  if (!meters.empty()) once<IdlePower>([&] { return measure_idle(meters.front(), energy); });
  for (size_t w = all.size(); w < works.size(); ++w) {
    all.push_back(played_alone(*subject_.device, works[w], meters, timed));
    append(all.back());
    progress_->update(static_cast<double>(w + 1) / static_cast<double>(works.size()));
  }
  progress_->finish();
  opened.meters.clear();
  return all;
}

}  // namespace kjoule
