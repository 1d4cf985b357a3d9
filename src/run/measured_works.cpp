// MeasuredRun::measure_works(): time and energy of parts of a recording, each repeated back to back.
#include <algorithm>

#include "base/error.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

/// Timing of a reading if there are no meters.
constexpr ReadingWindow kWithoutMeters{.settle_s = 0.02, .span_s = 0.05};

IsolatedWorkRow read_work(Device& device, const IsolatedWork& work, std::span<MeterRecord> meters,
                          const IsolatedWorkOptions& options) {
  try {
    return {work.name, measure_isolated_work(device, work.copies, meters, options), ""};
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    return {work.name, {}, error.what()};
  }
}

/// Throws Error unless the rows of an interrupted run are those of the first works.
void need_same_works(const std::vector<IsolatedWorkRow>& measured, const std::vector<IsolatedWork>& works) {
  for (size_t done = 0; done < measured.size(); ++done)
    if (done >= works.size() || measured[done].name != works[done].name)
      throw Error("other layers or buffers were measured in the interrupted run",
                  "give the --buffers of that run, or repeat the command without --resume");
}

}  // namespace

std::vector<IsolatedWorkRow> MeasuredRun::measure_works(const std::vector<IsolatedWork>& works,
                                                        EnergyMeters& opened,
                                                        const IsolatedWorkOptions& options,
                                                        const EnergyOptions& energy) {
  std::vector<IsolatedWorkRow> all = rows().all<IsolatedWorkRow>();
  need_same_works(all, works);
  progress_->stage("measuring the layers in isolation");
  IsolatedWorkOptions timed = options;
  timed.window = kWithoutMeters;
  if (!opened.meters.empty()) timed.window = make_energy_plan({}, 0, opened.meters.front()->facts()).window;
  opened.poll();
  std::vector<MeterRecord> meters = records_under_load(opened.meters);
  if (!meters.empty())
    unless_meter_fails(opened,
                       [&] { once<IdlePower>([&] { return measure_idle(meters.front(), energy); }); });
  for (size_t w = all.size(); w < works.size(); ++w) {
    const auto read = [&] {
      if (opened.meters.empty()) {
        meters.clear();
        timed.window = kWithoutMeters;
      }
      all.push_back(read_work(*subject_.device, works[w], meters, timed));
    };
    unless_meter_fails(opened, read);
    if (all.size() == w) read();  // again, without the meter that failed
    append(all.back());
    progress_->update(static_cast<double>(w + 1) / static_cast<double>(works.size()));
  }
  progress_->finish();
  opened.meters.clear();
  return all;
}

}  // namespace kjoule
