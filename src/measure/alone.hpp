#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/interval.hpp"
#include "device/device.hpp"
#include "measure/meter_record.hpp"

namespace kjoule {

/// How launches are played by themselves.
struct AloneOptions {
  int unroll = 100;  ///< copies in one graph
  /// Of each reading, rounded down to a multiple of `unroll`; nothing: as many as a reading needs.
  std::optional<int64_t> iterations;
  double settle_s = 0, span_s = 0;  ///< of a reading: before what is read, and of what is read
};

/// What one of several copies of the same work takes, nothing else between them.
struct AloneReading {
  Interval each_s;                 ///< 95 %
  std::optional<Interval> each_j;  ///< likewise, of the first meter; nothing where it told nothing
  int64_t iterations = 0;          ///< of a reading, at least
};

template <class Fields>
void describe(Fields& fields, AloneReading& reading) {
  fields("each_s", reading.each_s);
  fields("each_j", reading.each_j);
  fields("iterations", reading.iterations);
}

/// Plays the copies in turn, `options.unroll` of them (rounded up to whole turns) in one graph that goes on
/// and on, and reads time and meters a few times. Throws DeviceError for launches that cannot be played.
AloneReading measure_alone(Device& device, const std::vector<std::vector<LaunchIndex>>& copies,
                           std::span<MeterRecord> meters, const AloneOptions& options);

}  // namespace kjoule
