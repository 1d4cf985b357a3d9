#pragma once
#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "torch/operator.hpp"

namespace kjoule::runner {

/// A watch that can be read, and started again afterwards.
class ReadableStopwatch : public Stopwatch {
 public:
  /// Returns the time between the first start and the last stop, in us, and resets the watch; waits for the
  /// device. Throws Error if there was no start or no stop.
  virtual double take_us() = 0;
};

/// Returns a watch that measures wall time on the CPU, and on a GPU the time between two events of its
/// stream. On a GPU the first event follows a short spin of the device: the first kernel is already queued
/// when the event is reached, so the time from the program to the device is not included.
std::unique_ptr<ReadableStopwatch> make_stopwatch(c10::Device device);
/// Returns a description of what that watch measures.
std::string meaning_of_time(c10::Device device);
/// Returns a watch that measures nothing and does nothing on the device.
std::unique_ptr<Stopwatch> no_stopwatch();

}  // namespace kjoule::runner
