#pragma once
#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "torch/operator.hpp"

namespace kjoule::child {

/// A watch that can be read, and used again after that.
class ReadableStopwatch : public Stopwatch {
 public:
  /// us between the first start and the last stop; waits for the device. Throws Error when one of them did
  /// not happen.
  virtual double take_us() = 0;
};

/// On the CPU wall time; on a GPU the time between two events of its stream. There the first one stands
/// behind a short spin of the device, so that the first kernel waits in the queue when it passes, and the way
/// from the program to the device is no part of the time.
std::unique_ptr<ReadableStopwatch> make_stopwatch(c10::Device device);
/// What the times of that watch are, in words.
std::string meaning_of_time(c10::Device device);
/// One that takes no time and does nothing on the device.
std::unique_ptr<Stopwatch> no_stopwatch();

}  // namespace kjoule::child
