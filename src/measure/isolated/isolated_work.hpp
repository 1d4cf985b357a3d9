#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/interval.hpp"
#include "device/device.hpp"
#include "measure/isolated/isolated_reading.hpp"
#include "measure/meters/meter_record.hpp"

namespace kjoule {

/// Options for measuring work in isolation (measure_isolated_work()).
struct IsolatedWorkOptions {
  int unroll = 100;  ///< number of copies in one graph
  /// Number of iterations in each reading, rounded down to a multiple of `unroll` and at least one `unroll`;
  /// without a value, the window decides how long a reading lasts.
  std::optional<int64_t> iterations;
  ReadingWindow window;
};

/// Time and energy of one copy of some work, when copies are repeated back to back.
struct IsolatedWorkReading {
  Interval each_s;  ///< 95 % interval
  /// 95 % interval, from the first meter; not available if the meter reported no power.
  std::optional<Interval> each_j;
  int64_t iterations = 0;  ///< number of copies in each reading; a reading may contain more
};

template <class Fields>
void describe(Fields& fields, IsolatedWorkReading& reading) {
  fields("each_s", reading.each_s);
  fields("each_j", reading.each_j);
  fields("iterations", reading.iterations);
}

/// Repeats the copies back to back and returns the time and energy of one of them, from three readings.
///
/// One graph contains `options.unroll` copies in rotation, rounded up to a multiple of `copies.size()`, and
/// is replayed without pause. Throws DeviceError if the launches cannot be replayed.
IsolatedWorkReading measure_isolated_work(Device& device, const std::vector<std::vector<LaunchIndex>>& copies,
                                          std::span<MeterRecord> meters, const IsolatedWorkOptions& options);

}  // namespace kjoule
