// MeasuredRun::meter_blocks() and meter_differences(): work is repeated for so long that a power meter reads
// it at least once.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>

#include "measure/time/replay_track.hpp"
#include "power/load_pattern.hpp"
#include "run/energy_meters.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

/// Unit of the load pattern's times, in sensor intervals. It is no whole number, so that the edges of the
/// pattern fall on different parts of the sensor interval.
constexpr double kUnit = 3.3;
/// Sensor interval that is assumed for the meter of another host, and the shortest sensor interval for which
/// the unit of a load pattern is computed, s.
constexpr double kResolutionOfOthers_s = 1, kLeastResolution_s = 0.1;
/// Duration of one submitted piece of load, s.
constexpr double kLoadPiece_s = 0.02;
constexpr int kMostRepeatsOfLoad = 10'000;

bool has_several(const std::vector<uint32_t>& kernels) {
  return kernels.size() > 1;
}

/// Throws Error unless the interrupted run measured the first of these works.
void need_same_works(const std::vector<MeterBlock>& measured,
                     const std::vector<std::vector<uint32_t>>& works) {
  for (size_t done = 0; done < measured.size(); ++done)
    if (done >= works.size() || measured[done].kernels != works[done])
      throw Error("other kernels were repeated for the power meter in the interrupted run",
                  "give the --block-kernels of that run, or repeat the command without --resume");
}

}  // namespace

/// Returns for each kernel the time of all its launches in isolation, s; 0 if it has no time.
std::vector<double> MeasuredRun::isolated_totals_s() const {
  std::vector<double> totals_s(table_.kernels.size());
  const auto excluded = excluded_kernels(rows());
  for (const IsolatedKernel& one : rows().all<IsolatedKernel>())
    if (one.error.empty() && !excluded.contains(one.kernel))
      totals_s[one.kernel] = one.single_s * static_cast<double>(table_.kernels[one.kernel].places.size());
  return totals_s;
}

MeasuredRun::MeterWorks MeasuredRun::meter_works(int alone) const {
  MeterWorks works{kjoule::meter_blocks(table_, isolated_totals_s(), static_cast<size_t>(alone)), 0};
  works.back_to_back = works.kernels.size();
  if (can_leave_out_kernels())
    works.back_to_back = static_cast<size_t>(
        std::stable_partition(works.kernels.begin(), works.kernels.end(), std::not_fn(has_several)) -
        works.kernels.begin());
  return works;
}

void MeasuredRun::measure_meter_blocks(EnergyMeters& opened, PhaseRound round, const MeterWorks& works,
                                       size_t end) {
  need_same_works(rows().all<MeterBlock>(), works.kernels);
  if (opened.block_s <= 0 || rows().count<MeterBlock>() >= end) return;
  progress_->stage("repeating the kernels for the power meter");
  log_power(opened);
  if (opened.block_s > 0) unless_meter_fails(opened, [&] { repeat_for_meters(opened, round, works, end); });
  progress_->finish();
}

void MeasuredRun::repeat_for_meters(EnergyMeters& opened, PhaseRound round, const MeterWorks& works,
                                    size_t end) {
  std::vector<MeterRecord> meters = records_under_load(opened.meters);
  const std::vector<double> totals_s = isolated_totals_s();
  const double iteration_s = std::accumulate(totals_s.begin(), totals_s.end(), 0.0);
  subject_.device->begin_round(round);
  for (size_t done = rows().count<MeterBlock>(); done < end && !is_lost_; ++done) {
    append(measured_meter_block(works.kernels[done], iteration_s, meters, {opened.settle_s, opened.block_s}));
    progress_->update(static_cast<double>(done + 1) / static_cast<double>(end));
  }
}

MeterBlock MeasuredRun::measured_meter_block(const std::vector<uint32_t>& kernels, double iteration_s,
                                             std::span<MeterRecord> meters, const ReadingWindow& window) {
  try {
    MeterBlock block = measure_meter_block(*subject_.device, table_, kernels, iteration_s, meters, window);
    for (auto* list : {&block.with, &block.without})
      for (MeterWork& work : *list) {
        work.start_timestamp = subject_.clock->local_time(work.begin_ns);
        work.end_timestamp = subject_.clock->local_time(work.end_ns);
      }
    return block;
  } catch (const DeviceError& error) {
    if (dynamic_cast<const StuckError*>(&error) == nullptr && !error.lost) throw;
    is_lost_ = true;
    return {.kernels = kernels, .error = error.what()};
  }
}

void MeasuredRun::meter_blocks(EnergyMeters& opened, int alone) {
  const MeterWorks works = meter_works(alone);
  measure_meter_blocks(opened, kMeterBlocksRound, works, works.back_to_back);
}

void MeasuredRun::meter_differences(EnergyMeters& opened, int alone) {
  const MeterWorks works = meter_works(alone);
  if (works.back_to_back < works.kernels.size())
    measure_meter_blocks(opened, kMeterDifferencesRound, works, works.kernels.size());
}

void MeasuredRun::play_load(const EnergyMeters& meters) {
  if (rows().has<PlayedLoad>() || is_lost_) return;
  progress_->stage("running a load pattern for the power log");
  double resolution_s = meters.meters.empty() ? kResolutionOfOthers_s : kLeastResolution_s;
  for (const auto& meter : meters.meters)
    resolution_s = std::max({resolution_s, meter->facts().tick_s, meter->facts().averaging_s});
  std::unique_ptr<Track> track = subject_.device->info().runs_program ? subject_.device->open(Iteration{})
                                                                      : subject_.device->open(SteadyWork{1});
  PlayedLoad played;
  const auto edge = [&](int64_t now_ns, bool begins) {
    played.edges.push_back({subject_.clock->local_time(now_ns), begins});
  };
  played.begin_ns = subject_.clock->now_ns();
  for (const LoadPeriod& period : load_periods()) {
    const double seconds = kUnit * resolution_s * period.units;
    if (!period.load) {
      subject_.let_pass(seconds);
      continue;
    }
    const TrackTiming first = replay(*track, 1);
    edge(first.begin_ns, true);
    int64_t end_ns = first.end_ns;
    const double each_s = std::max(1e-6, static_cast<double>(first.end_ns - first.begin_ns) * 1e-9);
    const int repeats = std::clamp(static_cast<int>(kLoadPiece_s / each_s), 1, kMostRepeatsOfLoad);
    while (static_cast<double>(end_ns - first.begin_ns) * 1e-9 < seconds)
      end_ns = replay(*track, repeats).end_ns;
    edge(end_ns, false);
  }
  played.end_ns = subject_.clock->now_ns();
  append(played);
  progress_->finish();
}

void MeasuredRun::end_power(EnergyMeters& opened) {
  if (opened.block_s > 0 || opened.pause_s > 0)
    unless_meter_fails(opened, [&opened] { opened.read_past_now(); });
  opened.close();
}

}  // namespace kjoule
