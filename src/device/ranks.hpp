#pragma once
#include <sys/types.h>
#include <cstddef>
#include <string>
#include <vector>

#include "device/collective_times.hpp"
#include "device/device.hpp"

namespace kjoule {

/// A rank of a program whose ranks were recorded together.
struct RecordedRank {
  DeviceInfo info;
  Recording recording;
  pid_t process = 0;
};

/// The ranks of a subject, which replay in step. Its device is that of one rank at a time.
class Ranks {
 public:
  virtual ~Ranks() = default;
  /// Returns the ranks that have recorded an iteration together, the measured rank first. Empty before the
  /// recording, and if only one rank has recorded.
  virtual const std::vector<RecordedRank>& ranks() const = 0;
  /// Uses the device as that of another rank (an index in ranks()) from now on. No track may be open.
  virtual void use_as(size_t rank) = 0;
  /// Replays the iteration of all ranks together, `repeats` times, and returns the times of the collectives
  /// of each rank, in the order of ranks(): [rank][repeat]. Throws Error if they cannot be timed.
  virtual std::vector<std::vector<CollectiveTimes>> time_collectives_of_all(int repeats) = 0;
  /// Returns whether all ranks work on one machine whose meter measures their energy together.
  virtual bool share_a_meter() const = 0;
};

}  // namespace kjoule
