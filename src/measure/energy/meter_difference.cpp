#include "measure/energy/meter_difference.hpp"

#include "measure/meters/steady_loop.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

MeterIterations repeated(Track& track, std::span<MeterRecord> meters, double settle_s, double span_s) {
  const double about_s = second_replay_s(track);
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
    SteadyWork work{.plain = 0, .marked = launches_of(table, kernels)};
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
