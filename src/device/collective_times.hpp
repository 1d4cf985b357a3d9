#pragma once
#include <cstdint>
#include <vector>

#include "base/json/json_fields.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// The difference between the device clocks of two ranks, from the shortest round trip of a message.
struct DeviceClockOffset {
  int64_t ahead_ns = 0;       ///< by how much the other rank's clock is ahead of the middle of the round trip
  int64_t round_trip_ns = 0;  ///< the offset is wrong by at most half of it; 0 if nothing was compared
  bool operator==(const DeviceClockOffset&) const = default;
};

/// When the collectives of one replayed iteration began and ended on one rank, by its device clock.
struct CollectiveTimes {
  std::vector<LaunchIndex> launches;  ///< the collectives of the rank's recording, in order
  std::vector<int64_t> begin_ns;      ///< when the launch before each of them had ended
  std::vector<int64_t> end_ns;        ///< when each of them had ended
  uint32_t position = 0;              ///< of the rank on the board
  /// The clocks of all ranks, by position, against that of position 0: right before the iteration, and right
  /// after it. Empty except at position 0.
  std::vector<DeviceClockOffset> before, after;
  bool operator==(const CollectiveTimes&) const = default;
};

/// The times of several replays on one rank.
struct CollectiveReplays {
  std::vector<CollectiveTimes> replays;
};

// Conversion to and from messages and rows (base/json/json_fields).

template <class Fields>
void describe(Fields& fields, DeviceClockOffset& offset) {
  fields("ahead_ns", offset.ahead_ns);
  fields("round_trip_ns", offset.round_trip_ns);
}
template <class Fields>
void describe(Fields& fields, CollectiveTimes& times) {
  fields("launches", times.launches);
  fields("begin_ns", times.begin_ns);
  fields("end_ns", times.end_ns);
  fields("position", times.position);
  fields("before", times.before);
  fields("after", times.after);
}
template <class Fields>
void describe(Fields& fields, CollectiveReplays& times) {
  fields("replays", times.replays);
}

}  // namespace kjoule
