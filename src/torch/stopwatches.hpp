#pragma once
#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "torch/operator.hpp"

namespace kjoule::runner {

/// A watch that can be read, and started again afterwards.
class ReadableStopwatch : public Stopwatch {
 public:
  /// Returns the time between the first start and the last stop, in us, and resets the watch. Waits for the
  /// device. Throws Error if there was no start or no stop.
  virtual double take_us() = 0;
};

/// Returns a watch. On the CPU it measures wall time; on a GPU, the time between two events of its stream.
/// The first event follows a short spin of the device, so that the first kernel is already queued when the
/// device reaches the event. So the time does not include the latency of launching the first kernel.
std::unique_ptr<ReadableStopwatch> make_stopwatch(c10::Device device);
/// Returns a description of the time that this watch measures.
std::string meaning_of_time(c10::Device device);
/// Returns a watch that measures nothing and does nothing on the device.
std::unique_ptr<Stopwatch> no_stopwatch();

}  // namespace kjoule::runner
