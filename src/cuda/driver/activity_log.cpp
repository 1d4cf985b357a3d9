#include "cuda/driver/activity_log.hpp"

#include <algorithm>

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

ActivityLog::ActivityLog(const Cupti& cupti)
    : records_(cupti, [this](const CUpti_Activity& record) {
        const MutexLock lock(mutex_);
        collect(record, activities_);
      }) {}

void ActivityLog::begin() {
  end();  // discards activities that CUPTI still has from an earlier log
  records_.enable();
  on_ = true;
}

std::vector<Activity> ActivityLog::end() {
  records_.flush(true);
  if (on_) records_.disable();
  on_ = false;
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
