#pragma once
#include <cstddef>
#include <memory>

#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// Keeps a device busy with plain iterations while tracks are made and played, so that its clock is the one
/// that it has in the program. (On an H200 at its power limit, an iteration takes 3.7 % less time after
/// pauses.) Fills nothing when launches are excluded, because a plain iteration contains all launches.
class BusyDevice {
 public:
  /// `iteration_s`: about what an iteration takes.
  BusyDevice(Device& device, const TimedIteration& iteration, double iteration_s);
  ~BusyDevice();
  BusyDevice(const BusyDevice&) = delete;
  BusyDevice& operator=(const BusyDevice&) = delete;

  /// Hands over iterations for about that time, and returns at once.
  void fill(double seconds);
  /// Waits until all of it is played.
  void drain();
  /// Plays the track once; iterations of up to 5 ms come before it and after it, so that the device does not
  /// pause for the host. Throws DeviceError.
  Played play(Track& track);

 private:
  void wait_oldest();

  std::unique_ptr<Track> filler_;  ///< null where nothing is filled
  double repeat_s_ = 0;            ///< of it
  bool fills_pauses_ = false;      ///< those between plays
  size_t under_way_ = 0;           ///< enqueues of it
};

}  // namespace kjoule
