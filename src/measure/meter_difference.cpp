#include "measure/meter_difference.hpp"

#include <algorithm>

#include "measure/replay_track.hpp"
#include "measure/steady_loop.hpp"

namespace kjoule {

namespace {

SteadyWork iteration_with(const KernelTable& table, const std::vector<uint32_t>& kernels) {
  SteadyWork work{.plain = 0};
  for (const uint32_t kernel : kernels) {
    const auto& places = table.kernels.at(kernel).places;
    work.marked.insert(work.marked.end(), places.begin(), places.end());
  }
  std::sort(work.marked.begin(), work.marked.end());
  return work;
}

MeterIterations repeated(Track& track, std::span<MeterRecord> meters, double settle_s, double span_s) {
  once_s(track);  // only warms up
  const double about_s = once_s(track);
  SteadyLoop loop(meters);
  const SteadyReading reading = loop.read(track, about_s, settle_s, span_s);
  return {reading.repeats, reading.repeat_s, reading.pieces_begin_ns, reading.end_ns};
}

}  // namespace

MeterDifference measure_meter_difference(Device& device, const KernelTable& table,
                                         const std::vector<uint32_t>& kernels, std::span<MeterRecord> meters,
                                         const ReadingWindow& window) {
  MeterDifference difference{.kernels = kernels};
  try {
    SteadyWork work = iteration_with(table, kernels);
    const auto with = device.open(work);
    work.left_out = true;
    const auto without = device.open(work);
    const auto before = repeated(*with, meters, window.settle_s, window.span_s);
    const auto between = repeated(*without, meters, window.settle_s, 2 * window.span_s);
    const auto after = repeated(*with, meters, window.settle_s, window.span_s);
    difference.with = {before, after};
    difference.without = {between};
    difference.begin_ns = before.begin_ns;
    difference.end_ns = after.end_ns;
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    difference.error = error.what();
  }
  return difference;
}

}  // namespace kjoule
