#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "recording/run_log.hpp"

namespace kjoule {

struct LaunchRange {
  /// Numbers of launches by the host; a graph is one launch; `end` is not included.
  uint64_t first = 0, end = 0;
};

/// Prefix sums over the launches of a run, which give the totals of any range of launches in constant time.
/// Launches are numbered by the host's calls: a graph is one launch. The log must outlive this object.
class RunSums {
 public:
  explicit RunSums(const RunLog& log);
  explicit RunSums(const RunLog&& log) = delete;

  const RunLog& log() const { return log_; }

  /// Converts the number of a launch to the numbering of --iterations, in which each node of a graph counts
  /// as a launch.
  uint64_t number(uint64_t launch) const { return numbers_[launch]; }
  /// Inverse of number(): returns the launch with this number. If no launch has it, returns the launch with
  /// the next larger number.
  uint64_t launch_at(uint64_t number) const;
  uint64_t operations(LaunchRange range) const { return numbers_[range.end] - numbers_[range.first]; }
  int64_t busy_ns(LaunchRange range) const { return busy_[range.end] - busy_[range.first]; }
  /// Returns whether the log contains all device operations of these launches.
  bool is_complete(LaunchRange range) const;
  /// Returns the summed duration of the launches' kernels as a share (0 to 1) of the summed duration of all
  /// their operations; 0 without kernels.
  double kernel_share(LaunchRange range) const;
  /// Returns whether the host waited for the device after one of these launches, before the launch that
  /// follows.
  bool has_wait(LaunchRange range) const { return waits_[range.end] > waits_[range.first]; }
  /// Returns the begin time of a launch's first operation; nothing if the log does not contain the operation.
  std::optional<int64_t> begin_ns(uint64_t launch) const;
  const std::vector<const HostCall*>& launches() const { return launches_; }
  /// Returns the number of the launch that started an operation; nothing if the log does not contain the
  /// launch.
  std::optional<uint32_t> launch_of(const DeviceOperation& operation) const;

 private:
  void add_calls(const std::vector<HostCall>& calls);
  void add_operations(const std::vector<DeviceOperation>& operations);

  const RunLog& log_;
  std::vector<const HostCall*> launches_;
  std::vector<std::pair<uint32_t, uint32_t>> by_correlation_;
  std::vector<uint64_t> numbers_{0};
  std::vector<int64_t> busy_, kernels_, work_, seen_;
  std::vector<uint64_t> waits_{0};
  std::vector<std::optional<int64_t>> begins_ns_;
};

}  // namespace kjoule
