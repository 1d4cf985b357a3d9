#pragma once
#include <cstddef>
#include <memory>

#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// Keeps a device busy with plain iterations while tracks are made and replayed, so that the device's clock
/// is the same as in the program. (On an H200 at its power limit, an iteration takes 3.7 % less time after
/// pauses than in unbroken work.) Does nothing if launches are excluded from replay, because a plain
/// iteration would contain the excluded launches.
class BusyDevice {
 public:
  /// `iteration_s` is the approximate time of one iteration.
  BusyDevice(Device& device, const TimedIteration& iteration, double iteration_s);
  ~BusyDevice();
  BusyDevice(const BusyDevice&) = delete;
  BusyDevice& operator=(const BusyDevice&) = delete;

  /// Submits iterations for about `seconds` and returns at once.
  void fill(double seconds);
  /// Waits until all submitted iterations have ended.
  void drain();
  /// Replays the track once and waits for it. If an iteration takes less than 5 ms, plain iterations run
  /// before and after the track, so that the device does not wait for the host. Throws DeviceError.
  TrackTiming replay(Track& track);

 private:
  void wait_oldest();

  std::unique_ptr<Track> filler_;  ///< null if the device is not kept busy
  double repeat_s_ = 0;            ///< time of one repeat of the filler
  bool fills_pauses_ = false;      ///< whether plain iterations also run between replays
  size_t under_way_ = 0;           ///< number of enqueued repeats of the filler that have not ended
};

}  // namespace kjoule
