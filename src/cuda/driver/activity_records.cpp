#include "cuda/driver/activity_records.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/process/mutex.hpp"

namespace kjoule::cuda {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kAlignment = 8;
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET};

/// The data that CUPTI's callbacks need. They are global, because these callbacks receive no user pointer.
struct Receiver {
  Mutex mutex;
  decltype(&cuptiActivityGetNextRecord) next_record KJOULE_GUARDED_BY(mutex) = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records KJOULE_GUARDED_BY(mutex) = nullptr;
  std::function<void(const CUpti_Activity&)> receive KJOULE_GUARDED_BY(mutex);
  size_t dropped KJOULE_GUARDED_BY(mutex) = 0;
};

Receiver& receiver() {
  static auto* the_one = new Receiver;  // CUPTI may call back until the process ends
  return *the_one;
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t filled) {
  Receiver& to = receiver();
  const MutexLock lock(to.mutex);
  CUpti_Activity* record = nullptr;
  while (to.next_record(buffer, filled, &record) == CUPTI_SUCCESS)
    if (to.receive) to.receive(*record);
  size_t dropped = 0;
  if (to.dropped_records != nullptr && to.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS)
    to.dropped += dropped;
  std::free(buffer);
}

void set_receiver(std::function<void(const CUpti_Activity&)> receive) {
  Receiver& to = receiver();
  const MutexLock lock(to.mutex);
  to.receive = std::move(receive);
}

}  // namespace

ActivityRecords::ActivityRecords(const Cupti& cupti, std::function<void(const CUpti_Activity&)> receive)
    : cupti_(cupti),
      receive_(std::move(receive)),
      enable_(cupti.find<decltype(cuptiActivityEnable)>("cuptiActivityEnable")),
      disable_(cupti.find<decltype(cuptiActivityDisable)>("cuptiActivityDisable")),
      flush_(cupti.find<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll")) {
  {
    Receiver& to = receiver();
    const MutexLock lock(to.mutex);
    to.next_record = cupti.find<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
    to.dropped_records =
        cupti.find<decltype(cuptiActivityGetNumDroppedRecords)>("cuptiActivityGetNumDroppedRecords");
  }
  const auto register_callbacks =
      cupti.find<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
  cupti.check(register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
}

ActivityRecords::~ActivityRecords() {
  set_receiver(nullptr);
}

void ActivityRecords::enable() {
  set_receiver(receive_);
  for (const CUpti_ActivityKind kind : kKinds) cupti_.check(enable_(kind), "cuptiActivityEnable");
}

void ActivityRecords::disable() {
  for (const CUpti_ActivityKind kind : kKinds) cupti_.check(disable_(kind), "cuptiActivityDisable");
  set_receiver(nullptr);
}

void ActivityRecords::flush(bool forced) {
  cupti_.check(flush_(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0), "cuptiActivityFlushAll");
}

size_t ActivityRecords::take_dropped() {
  Receiver& to = receiver();
  const MutexLock lock(to.mutex);
  return std::exchange(to.dropped, 0);
}

}  // namespace kjoule::cuda
