#include "measure/isolated/isolated_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/statistics.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

/// Number of launches in the shorter of two segments between stamps on a GPU. The longer segment has twice as
/// many.
constexpr uint32_t kRepeats = 4;

/// Replays the track for at least `block_s` seconds. A first replay only warms up, unless it takes that long.
TrackTiming fill_block(Device& device, const TrackSpec& spec, double block_s) {
  const auto track = device.open(spec);
  TrackTiming once = replay(*track, 1);
  const double seconds = static_cast<double>(once.end_ns - once.begin_ns) * 1e-9;
  if (seconds >= block_s) return once;
  return replay(*track,
                seconds > 0 ? std::clamp(static_cast<int>(std::ceil(block_s / seconds)), 2, 10000) : 2);
}

/// Stores the typical time of a launch and the number of launches. Each of `seconds` is the mean of
/// `launches` launches.
void keep(const TrackTiming& replayed, std::vector<double> seconds, uint32_t launches,
          IsolatedKernel& result) {
  limit_outliers({&seconds});
  result.single_s = mean(seconds);
  result.runs = static_cast<int>(seconds.size() * launches);
  result.begin_ns = replayed.begin_ns;
  result.end_ns = replayed.end_ns;
}

void measure_by_clock(Device& device, LaunchIndex launch, double block_s, IsolatedKernel& result) {
  const TrackTiming replayed = fill_block(device, Sequence{{Segment{{}, {launch}}}}, block_s);
  keep(replayed, replayed.seconds, 1, result);
}

/// Returns work that replays the iteration up to `launch`, and then repeats this launch in two segments
/// between stamps. The difference of the segments' times does not contain the cost of a stamp.
StampedWork repeated(const TimedIteration& iteration, LaunchIndex launch) {
  StampedWork work;
  for (const LaunchIndex one : iteration.order()) {
    if (one == launch) break;
    work.launches.push_back(one);
  }
  work.launches.insert(work.launches.end(), 1 + 3 * kRepeats, launch);
  const auto last = static_cast<uint32_t>(work.launches.size()) - 1;
  work.stamped_after = {last - 3 * kRepeats, last - 2 * kRepeats, last};
  return work;
}

void measure_by_stamps(Device& device, const TimedIteration& iteration, LaunchIndex launch, double block_s,
                       IsolatedKernel& result) {
  const TrackTiming replayed = fill_block(device, repeated(iteration, launch), block_s);
  std::vector<double> each;
  for (size_t i = 0; i + 1 < replayed.seconds.size(); i += 2)
    each.push_back((replayed.seconds[i + 1] - replayed.seconds[i]) / kRepeats);
  keep(replayed, std::move(each), kRepeats, result);
}

}  // namespace

IsolatedKernel measure_isolated(Device& device, const KernelTable& table, const TimedIteration& iteration,
                                uint32_t kernel, double block_s) {
  IsolatedKernel result;
  result.kernel = kernel;
  const LaunchIndex launch = table.kernels[kernel].places.front();
  try {
    if (device.info().can_time_between_launches)
      measure_by_clock(device, launch, block_s, result);
    else
      measure_by_stamps(device, iteration, launch, block_s, result);
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    result.error = error.what();
  }
  return result;
}

}  // namespace kjoule
