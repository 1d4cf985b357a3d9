#include "measure/time/busy_device.hpp"

#include <algorithm>
#include <cmath>

#include "measure/time/graph_length.hpp"

namespace kjoule {

namespace {

/// Duration of the iterations that fill the time between two replays. It is longer than the host needs from
/// the end of one replay until it submits the next.
constexpr double kBetweenReplays_s = 5e-4;
/// Iterations of at least this time need no filling, because the pause between their replays is short in
/// comparison.
constexpr double kLongIteration_s = 5e-3;
constexpr size_t kMostUnderWay = 3;  ///< one below the limit of a device for enqueued repeats of SteadyWork

}  // namespace

BusyDevice::BusyDevice(Device& device, const TimedIteration& iteration, double iteration_s) {
  if (!iteration.excluded.empty() || !(iteration_s > 0)) return;
  const int plain =
      iteration.repeats() ? static_cast<int>(iterations_to_time(iteration_s, iteration.launches)) : 1;
  filler_ = device.open(SteadyWork{plain});
  repeat_s_ = plain * iteration_s;
  fills_pauses_ = iteration_s < kLongIteration_s;
}

BusyDevice::~BusyDevice() {
  try {
    drain();
  } catch (const Error&) {
    // The device is lost; the next call to it reports that.
  }
}

void BusyDevice::drain() {
  while (under_way_ > 0) wait_oldest();
}

void BusyDevice::wait_oldest() {
  --under_way_;
  filler_->wait();
}

void BusyDevice::fill(double seconds) {
  if (!filler_) return;
  while (under_way_ >= kMostUnderWay) wait_oldest();
  const int repeats = std::max(1, static_cast<int>(std::ceil(seconds / repeat_s_)));
  filler_->enqueue(repeats);
  ++under_way_;
}

TrackTiming BusyDevice::replay(Track& track) {
  if (fills_pauses_ && under_way_ == 0) fill(kBetweenReplays_s);
  track.enqueue(1);
  if (fills_pauses_) fill(kBetweenReplays_s);
  return track.wait();
}

}  // namespace kjoule
