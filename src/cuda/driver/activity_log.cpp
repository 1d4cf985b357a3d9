#include "cuda/driver/activity_log.hpp"

#include <algorithm>
#include <memory>

#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

template <typename Record>
Activity read(const Record& record, ActivityKind kind) {
  Activity activity;
  activity.kind = kind;
  activity.stream = record.streamId;
  activity.begin_ns = static_cast<int64_t>(record.start);
  activity.end_ns = static_cast<int64_t>(record.end);
  activity.correlation = record.correlationId;
  activity.graph_node = record.graphNodeId;
  return activity;
}

int device_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return static_cast<int>(reinterpret_cast<const CUpti_ActivityKernel10&>(record).deviceId);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return static_cast<int>(reinterpret_cast<const CUpti_ActivityMemcpy6&>(record).deviceId);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return static_cast<int>(reinterpret_cast<const CUpti_ActivityMemset4&>(record).deviceId);
    default:
      return -1;
  }
}

void collect(const CUpti_Activity& record, std::vector<Activity>& activities) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      activities.push_back(read(kernel, ActivityKind::kernel));
      activities.back().name = kernel.name != nullptr ? kernel.name : "";
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      activities.push_back(read(copy, ActivityKind::memcpy));
      activities.back().bytes = copy.bytes;
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      activities.push_back(read(set, ActivityKind::memset));
      activities.back().bytes = set.bytes;
      return;
    }
    default:
      return;
  }
}

}  // namespace

/// The logs that are on. CUPTI has one receiver of records per process, which passes each record to all logs.
class ActivityLog::Receivers {
 public:
  static Receivers& all() {
    static auto* the_one = new Receivers;  // CUPTI may deliver records until the process ends
    return *the_one;
  }
  void add(ActivityLog& log) {
    const MutexLock one_at_a_time(changes_);
    flush(log.cupti_);
    if (put(log) == 1) records_->enable();
  }
  /// Delivers all records so far, and turns the log off. Does nothing if it is off.
  void remove(ActivityLog& log) {
    const MutexLock one_at_a_time(changes_);
    flush(log.cupti_);
    if (take(log) == 0) records_->disable();
  }

 private:
  /// Delivers all records so far to the logs that are on. If two threads did this at the same time, one of
  /// them would return while the other one still has records to deliver.
  void flush(const Cupti& cupti) KJOULE_REQUIRES(changes_) {
    if (!records_)
      records_ = std::make_unique<ActivityRecords>(cupti, [this](const CUpti_Activity& record) {
        const MutexLock lock(mutex_);
        for (ActivityLog* log : logs_) log->receive(record);
      });
    records_->flush(true);
  }
  /// Returns the number of logs that are on then.
  size_t put(ActivityLog& log) {
    const MutexLock lock(mutex_);
    logs_.push_back(&log);
    return logs_.size();
  }
  /// Returns the number of other logs that are on; nothing if this one was off.
  std::optional<size_t> take(ActivityLog& log) {
    const MutexLock lock(mutex_);
    if (std::erase(logs_, &log) == 0) return {};
    return logs_.size();
  }

  Mutex changes_;
  std::unique_ptr<ActivityRecords> records_ KJOULE_GUARDED_BY(changes_);
  Mutex mutex_;
  std::vector<ActivityLog*> logs_ KJOULE_GUARDED_BY(mutex_);
};

ActivityLog::ActivityLog(const Cupti& cupti, std::optional<int> device) : cupti_(cupti), device_(device) {}

ActivityLog::~ActivityLog() {
  try {
    Receivers::all().remove(*this);
  } catch (const Error&) {  // CUPTI refuses to stop its records: this log receives none of them
  }
}

void ActivityLog::receive(const CUpti_Activity& record) {
  if (device_ && device_of(record) != *device_) return;
  const MutexLock lock(mutex_);
  collect(record, activities_);
}

void ActivityLog::begin() {
  end();                        // a log that is on begins anew
  Receivers::all().add(*this);  // discards activities that CUPTI still has from earlier
}

std::vector<Activity> ActivityLog::end() {
  Receivers::all().remove(*this);
  std::vector<Activity> activities;
  {
    const MutexLock lock(mutex_);
    activities.swap(activities_);
  }
  std::stable_sort(activities.begin(), activities.end(),
                   [](const Activity& a, const Activity& b) { return a.begin_ns < b.begin_ns; });
  return activities;
}

}  // namespace kjoule::cuda
