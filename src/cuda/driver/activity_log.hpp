#pragma once
#include <cupti.h>

#include <vector>

#include "base/process/mutex.hpp"
#include "cuda/driver/activity_records.hpp"
#include "cuda/driver/cupti.hpp"
#include "recording/activity.hpp"

namespace kjoule::cuda {

/// A log of the device activities (kernels, copies, memsets) that CUPTI reports. CUPTI supports one log per
/// process.
class ActivityLog {
 public:
  explicit ActivityLog(const Cupti& cupti);
  /// Starts logging. Throws Error if CUPTI refuses, for example because another profiler uses it.
  void begin();
  /// Stops logging and returns all activities since begin(), sorted by begin time. The caller must have
  /// synchronised the device. Launches cost extra time between begin() and end(), but not afterwards.
  std::vector<Activity> end();

 private:
  Mutex mutex_;
  std::vector<Activity> activities_ KJOULE_GUARDED_BY(mutex_);  ///< a thread of CUPTI may append to them
  ActivityRecords records_;
  bool on_ = false;
};

}  // namespace kjoule::cuda
