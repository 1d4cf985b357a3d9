#pragma once
#include <cupti.h>

#include <vector>

#include "cuda/cupti.hpp"
#include "recording/activity.hpp"

namespace kjoule::driver {

/// What CUPTI's activity records say that the device did. CUPTI has room for one of these in a process.
class ActivityLog {
 public:
  explicit ActivityLog(const Cupti& cupti);
  /// From now on. Throws Error when CUPTI refuses, as it does while another profiler is at it.
  void begin();
  /// All that ran since begin(), by begin; the device must have come to rest. Launches cost extra time
  /// between the two calls, and none afterwards.
  std::vector<Activity> end();
  /// As the records name it.
  uint64_t stream_id(CUcontext context, CUstream stream) const;

 private:
  const Cupti& cupti_;
  decltype(&cuptiActivityEnable) enable_;
  decltype(&cuptiActivityDisable) disable_;
  decltype(&cuptiActivityFlushAll) flush_;
  decltype(&cuptiGetStreamIdEx) stream_id_;
  bool on_ = false;
};

}  // namespace kjoule::driver
