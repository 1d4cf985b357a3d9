#pragma once
#include <cupti.h>

#include <optional>
#include <vector>

#include "base/process/mutex.hpp"
#include "cuda/driver/activity_records.hpp"
#include "cuda/driver/cupti.hpp"
#include "recording/activity.hpp"

namespace kjoule::cuda {

/// A log of the device activities (kernels, copies, memsets) that CUPTI reports. Several logs of a process
/// may be on at the same time, one for each GPU; no other user of CUPTI's records may be.
class ActivityLog {
 public:
  /// With a `device` number, only activities of this GPU are logged.
  explicit ActivityLog(const Cupti& cupti, std::optional<int> device = {});
  ~ActivityLog();
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;
  /// Starts logging. Throws Error if CUPTI refuses, for example because another profiler uses it.
  void begin();
  /// Stops logging and returns all activities since begin(), sorted by begin time. The caller must have
  /// synchronised the device. Launches cost extra time between begin() and end(), but not afterwards.
  std::vector<Activity> end();

 private:
  class Receivers;
  void receive(const CUpti_Activity& record);

  const Cupti& cupti_;
  std::optional<int> device_;
  Mutex mutex_;
  std::vector<Activity> activities_ KJOULE_GUARDED_BY(mutex_);  ///< a thread of CUPTI may append to them
};

}  // namespace kjoule::cuda
