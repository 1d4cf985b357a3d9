#include "cuda/activity_log.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kAlignment = 8;
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET};

/// The activities that CUPTI's callbacks collect. It is global, because these callbacks receive no user
/// pointer.
struct Collected {
  std::mutex mutex;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  std::vector<Activity> activities;
};

Collected& collected() {
  static Collected all;
  return all;
}

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

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t filled) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (all.next_record(buffer, filled, &record) == CUPTI_SUCCESS) collect(*record, all.activities);
  std::free(buffer);
}

}  // namespace

ActivityLog::ActivityLog(const Cupti& cupti)
    : cupti_(cupti),
      enable_(cupti.find<decltype(cuptiActivityEnable)>("cuptiActivityEnable")),
      disable_(cupti.find<decltype(cuptiActivityDisable)>("cuptiActivityDisable")),
      flush_(cupti.find<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll")),
      stream_id_(cupti.find<decltype(cuptiGetStreamIdEx)>("cuptiGetStreamIdEx")) {
  collected().next_record = cupti.find<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  const auto register_callbacks =
      cupti.find<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
  cupti.check(register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
}

void ActivityLog::begin() {
  end();  // discards activities that CUPTI still has from an earlier log
  for (const CUpti_ActivityKind kind : kKinds) cupti_.check(enable_(kind), "cuptiActivityEnable");
  on_ = true;
}

std::vector<Activity> ActivityLog::end() {
  cupti_.check(flush_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  if (on_)
    for (const CUpti_ActivityKind kind : kKinds) cupti_.check(disable_(kind), "cuptiActivityDisable");
  on_ = false;
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  std::vector<Activity> activities = std::exchange(all.activities, {});
  std::stable_sort(activities.begin(), activities.end(),
                   [](const Activity& a, const Activity& b) { return a.begin_ns < b.begin_ns; });
  return activities;
}

uint64_t ActivityLog::stream_id(CUcontext context, CUstream stream) const {
  uint32_t id = 0;
  cupti_.check(stream_id_(context, stream, 0, &id), "cuptiGetStreamIdEx");
  return id;
}

}  // namespace kjoule::cuda
