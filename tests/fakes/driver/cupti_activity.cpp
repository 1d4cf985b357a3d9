// CUPTI's activity side: records of device operations in the newest layout, delivered at a flush.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cupti.hpp"

namespace {

using stand_in::Activity;

struct Kept {
  std::mutex mutex;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::set<CUpti_ActivityKind> wanted;
  std::vector<Activity> activities;
  size_t kernels = 0;  ///< kernels recorded so far
};

Kept& kept() {
  static auto* all = new Kept;  // never destroyed: the program's threads may use it until the process ends
  return *all;
}

CUpti_ActivityKind kind_of(const Activity& activity) {
  if (activity.kind == Activity::Kind::copy) return CUPTI_ACTIVITY_KIND_MEMCPY;
  if (activity.kind == Activity::Kind::set) return CUPTI_ACTIVITY_KIND_MEMSET;
  return kept().wanted.contains(CUPTI_ACTIVITY_KIND_KERNEL) ? CUPTI_ACTIVITY_KIND_KERNEL
                                                            : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

/// FAKE_CUPTI_LOSES=K: the K-th kernel after records were enabled, counted from 1, has no record.
bool is_lost(const Activity& activity) {
  static const char* which = std::getenv("FAKE_CUPTI_LOSES");
  if (activity.kind != Activity::Kind::kernel || which == nullptr) return false;
  return ++kept().kernels == std::strtoull(which, nullptr, 10);
}

/// Returns the number of the process's first device.
int64_t first_device() {
  static const char* device = std::getenv("FAKE_CUDA_DEVICE");
  return device == nullptr ? 0 : std::strtoll(device, nullptr, 10);
}

/// FAKE_CUPTI_CLOCKS=apart: the clock of CUPTI is N ms ahead for device N, and the times of its records are
/// wrong by N x 300 ns.
bool clocks_are_apart() {
  static const char* clocks = std::getenv("FAKE_CUPTI_CLOCKS");
  return clocks != nullptr && std::string_view(clocks) == "apart";
}
int64_t clock_ahead_ns() {
  return clocks_are_apart() ? 1'000'000 * first_device() : 0;
}
uint64_t recorded_ns(int64_t ns, int device) {
  const int64_t wrong_ns = clocks_are_apart() ? 300 * device : 0;
  return static_cast<uint64_t>(ns + clock_ahead_ns() + wrong_ns);
}

/// FAKE_CUPTI_LOG=FOLDER: the true times of all records are in FOLDER/N.txt, N is the device.
void log_activity(const Activity& activity) {
  static std::FILE* const file = [] {
    const char* folder = std::getenv("FAKE_CUPTI_LOG");
    if (folder == nullptr) return static_cast<std::FILE*>(nullptr);
    return std::fopen((std::string(folder) + "/" + std::to_string(first_device()) + ".txt").c_str(), "a");
  }();
  if (file == nullptr) return;
  const char* name = activity.kind == Activity::Kind::kernel ? activity.name : "copy";
  std::fprintf(file, "%lld %lld %s\n", static_cast<long long>(activity.begin_ns),
               static_cast<long long>(activity.end_ns), name);
  std::fflush(file);
}

template <typename Record>
Record common(const Activity& activity) {
  Record record{};
  record.kind = kind_of(activity);
  record.start = recorded_ns(activity.begin_ns, activity.device);
  record.end = recorded_ns(activity.end_ns, activity.device);
  record.deviceId = static_cast<uint32_t>(activity.device - first_device());
  record.contextId = activity.context;
  record.streamId = activity.stream;
  record.correlationId = activity.correlation;
  record.graphNodeId = activity.graph_node;
  record.graphId = activity.graph;
  return record;
}

CUpti_ActivityKernel10 kernel_record(const Activity& activity) {
  auto record = common<CUpti_ActivityKernel10>(activity);
  record.completed = record.end;
  record.name = activity.name;
  record.gridX = static_cast<int32_t>(activity.grid[0]);
  record.gridY = static_cast<int32_t>(activity.grid[1]);
  record.gridZ = static_cast<int32_t>(activity.grid[2]);
  record.blockX = static_cast<int32_t>(activity.block[0]);
  record.blockY = static_cast<int32_t>(activity.block[1]);
  record.blockZ = static_cast<int32_t>(activity.block[2]);
  record.dynamicSharedMemory = static_cast<int32_t>(activity.shared_bytes);
  return record;
}

CUpti_ActivityMemcpy6 copy_record(const Activity& activity) {
  auto record = common<CUpti_ActivityMemcpy6>(activity);
  record.bytes = activity.bytes;
  record.copyKind = activity.from_host ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
                    : activity.to_host ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
                                       : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  const CUpti_ActivityMemoryKind of_host =
      activity.pageable ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  record.srcKind = activity.from_host ? of_host : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.dstKind = activity.to_host ? of_host : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  return record;
}

CUpti_ActivityMemset4 set_record(const Activity& activity) {
  auto record = common<CUpti_ActivityMemset4>(activity);
  record.bytes = activity.bytes;
  record.value = activity.value;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  return record;
}

/// A user's buffer that is being filled.
struct Buffer {
  uint8_t* data = nullptr;
  size_t size = 0, most_records = 0, used = 0, records = 0;

  template <typename Record>
  bool add(const Record& record) {
    if (used + sizeof record > size || (most_records > 0 && records == most_records)) return false;
    std::memcpy(data + used, &record, sizeof record);
    used += sizeof record;
    ++records;
    return true;
  }
  bool add(const Activity& activity) {
    if (activity.kind == Activity::Kind::copy) return add(copy_record(activity));
    if (activity.kind == Activity::Kind::set) return add(set_record(activity));
    return add(kernel_record(activity));
  }
};

size_t size_of(const CUpti_Activity& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) return sizeof(CUpti_ActivityMemcpy6);
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) return sizeof(CUpti_ActivityMemset4);
  return sizeof(CUpti_ActivityKernel10);
}

}  // namespace

void stand_in::keep_activity(const Activity& activity) {
  const std::lock_guard lock(kept().mutex);
  if (!kept().wanted.contains(kind_of(activity)) || is_lost(activity)) return;
  log_activity(activity);
  kept().activities.push_back(activity);
}

extern "C" {

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  const std::lock_guard lock(kept().mutex);
  kept().request = request;
  kept().complete = complete;
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(kept().mutex);
  kept().wanted.insert(kind);
  kept().kernels = 0;
  stand_in::hooks().activity = stand_in::keep_activity;
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(kept().mutex);
  kept().wanted.erase(kind);
  return CUPTI_SUCCESS;
}

/// FAKE_CUPTI_FAILS=flush: records cannot be flushed.
STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t) {
  const char* fails = std::getenv("FAKE_CUPTI_FAILS");
  if (fails != nullptr && std::string_view(fails) == "flush") return CUPTI_ERROR_UNKNOWN;
  Kept& all = kept();
  std::vector<Activity> activities;
  {
    const std::lock_guard lock(all.mutex);
    activities.swap(all.activities);
  }
  if (all.request == nullptr || all.complete == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  for (size_t next = 0; next < activities.size();) {
    Buffer buffer;
    all.request(&buffer.data, &buffer.size, &buffer.most_records);
    if (buffer.data == nullptr) return CUPTI_ERROR_OUT_OF_MEMORY;
    const size_t first = next;
    while (next < activities.size() && buffer.add(activities[next])) ++next;
    all.complete(nullptr, 0, buffer.data, buffer.size, buffer.used);
    if (next == first) return CUPTI_ERROR_INVALID_PARAMETER;  // the buffer is too small for one record
  }
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes,
                                                                 CUpti_Activity** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) next = reinterpret_cast<uint8_t*>(*record) + size_of(**record);
  if (buffer == nullptr || next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                                                        size_t* dropped) {
  *dropped = 0;  // FAKE_CUPTI_LOSES is not reported, because an audit must find it
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* timestamp) {
  *timestamp = static_cast<uint64_t>(stand_in::now_ns() + clock_ahead_ns());
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext, CUstream stream, uint8_t per_thread,
                                                         uint32_t* id) {
  *id = stand_in::id_of(stream == nullptr && per_thread != 0 ? CU_STREAM_PER_THREAD : stream);
  return CUPTI_SUCCESS;
}

STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  *id = stand_in::id_of(node);
  return CUPTI_SUCCESS;
}

}  // extern "C"
