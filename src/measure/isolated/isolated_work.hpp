#pragma once
#include <limits>
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
  /// Longest duration of one graph, s. A graph has fewer copies than `unroll` if these would take longer.
  double most_graph_s = std::numeric_limits<double>::infinity();
  /// Number of copies in each reading. It is rounded down to a multiple of `unroll`, but not below `unroll`.
  /// If not set, `window` determines the duration of a reading.
  std::optional<int64_t> iterations;
  ReadingWindow window;
};

/// Time and energy of one copy of some work, whose copies are repeated back to back, with 95 % intervals.
struct IsolatedWorkReading {
  Interval each_s;  ///< time of one copy
  /// Energy of one copy, from the first meter; not available if the meter reported no power.
  std::optional<Interval> each_j;
  int64_t iterations = 0;  ///< smallest number of copies in a reading
};

template <class Fields>
void describe(Fields& fields, IsolatedWorkReading& reading) {
  fields("each_s", reading.each_s);
  fields("each_j", reading.each_j);
  fields("iterations", reading.iterations);
}

/// Repeats the copies of some work back to back, and returns time and energy of one copy, from three
/// readings. Each element of `copies` contains the launches of one copy.
///
/// One graph contains all copies in turn, `options.unroll` in total, rounded up to a multiple of
/// `copies.size()`, or fewer if they would take longer than `options.most_graph_s`. It is replayed without
/// pauses. Throws DeviceError if the launches cannot be replayed.
IsolatedWorkReading measure_isolated_work(Device& device, const std::vector<std::vector<LaunchIndex>>& copies,
                                          std::span<MeterRecord> meters, const IsolatedWorkOptions& options);

}  // namespace kjoule
