#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "recording/run_log.hpp"

namespace kjoule {

struct LaunchRange {
  uint64_t first = 0, end = 0;  ///< numbers of launches by the host, a graph as one; `end` is not included
};

/// Prefix sums over the launches of a run, which give the totals of any range of launches. GPU times are
/// times in which at least one operation runs, by CUPTI. The log must outlive this.
class RunSums {
 public:
  explicit RunSums(const RunLog& log);
  explicit RunSums(const RunLog&& log) = delete;

  const RunLog& log() const { return log_; }

  /// Returns the number of a launch as --iterations counts: each node of a graph counts.
  uint64_t number(uint64_t launch) const { return numbers_[launch]; }
  /// Returns the launch with this number(), or the next one.
  uint64_t launch_at(uint64_t number) const;
  uint64_t operations(LaunchRange range) const { return numbers_[range.end] - numbers_[range.first]; }
  int64_t busy_ns(LaunchRange range) const { return busy_[range.end] - busy_[range.first]; }
  /// Returns whether the log has all operations of these launches.
  bool is_complete(LaunchRange range) const;
  /// Returns the kernels' share of the total duration of the launches' operations; 0 without kernels.
  double kernel_share(LaunchRange range) const;
  /// Returns whether the host waited for the device after one of these launches and before the next.
  bool has_wait(LaunchRange range) const { return waits_[range.end] > waits_[range.first]; }
  /// Returns the begin time of a launch's first operation; nothing if the log does not contain the operation.
  std::optional<int64_t> begin_ns(uint64_t launch) const;
  const std::vector<const HostCall*>& launches() const { return launches_; }
  /// Returns the launch of an operation; nothing if the log does not contain the launch.
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
