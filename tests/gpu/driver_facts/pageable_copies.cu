// What does CUPTI's record of a copy of pageable memory cover: only the transfer, or also the staging on the
// host?
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "driver_calls.hpp"
#include "facts.hpp"
#include "graph_of_spins.cuh"

namespace facts {

namespace {

constexpr int kRepeats = 15;

/// A record of CUPTI, times in ns on the clock of cuptiGetTimestamp().
struct Record {
  bool is_copy = false;
  uint64_t begin_ns = 0, end_ns = 0, bytes = 0;
};

std::vector<Record> records;

void CUPTIAPI take_records(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t filled) {
  for (CUpti_Activity* record = nullptr; cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS;)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      records.push_back({false, kernel.start, kernel.end, 0});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      records.push_back({true, copy.start, copy.end, copy.bytes});
    }
  std::free(buffer);
}

enum class Memory { pageable, pinned };
enum class Call { waits, returns_early };

struct Way {
  cudaMemcpyKind kind;
  Memory memory;
  Call call;
  size_t bytes;

  std::string name() const {
    return std::string(kind == cudaMemcpyHostToDevice ? "to" : "from") + " the device, " +
           (memory == Memory::pageable ? "pageable" : "pinned") + ", " +
           (call == Call::waits ? "cudaMemcpy, " : "cudaMemcpyAsync, ") +
           (bytes < size_t{1} << 20 ? std::to_string(bytes >> 10) + " KiB" : size_name(bytes));
  }
};

uint64_t now_ns() {
  uint64_t ns = 0;
  if (cuptiGetTimestamp(&ns) != CUPTI_SUCCESS) end_case();
  return ns;
}

/// Times of one copy between two kernels, in us.
struct CopyTimes {
  double call = 0;       ///< time of the host in the call
  double record = 0;     ///< from the first record's begin to the last record's end
  double busy = 0;       ///< sum of the records
  double lead = 0;       ///< from the call's begin to the first record's begin
  double between = 0;    ///< from the end of the kernel before to the begin of the kernel after it
  double events = 0;     ///< between two CUDA events around the copy
  double records = 0;    ///< number of records
};

class CopyTiming {
 public:
  explicit CopyTiming(const Way& way) : way_(way) {
    NEED(cudaStreamCreate(&stream_));
    NEED(cudaMalloc(&device_, way.bytes));
    NEED(cudaMalloc(&value_, sizeof *value_));
    if (way.memory == Memory::pinned)
      NEED(cudaMallocHost(&host_, way.bytes));
    else
      host_ = std::malloc(way.bytes);
    std::memset(host_, 1, way.bytes);
    NEED(cudaEventCreate(&begin_));
    NEED(cudaEventCreate(&end_));
  }

  CopyTimes measure() {
    NEED(cudaStreamSynchronize(stream_));
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    records.clear();
    spin<<<1, 1, 0, stream_>>>(value_);
    NEED(cudaEventRecord(begin_, stream_));
    const uint64_t call_ns = now_ns();
    copy();
    const uint64_t return_ns = now_ns();
    NEED(cudaEventRecord(end_, stream_));
    spin<<<1, 1, 0, stream_>>>(value_);
    NEED(cudaStreamSynchronize(stream_));
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    return times(call_ns, return_ns);
  }

 private:
  void copy() {
    void* const to = way_.kind == cudaMemcpyHostToDevice ? device_ : host_;
    void* const from = way_.kind == cudaMemcpyHostToDevice ? host_ : device_;
    if (way_.call == Call::waits)
      NEED(cudaMemcpy(to, from, way_.bytes, way_.kind));
    else
      NEED(cudaMemcpyAsync(to, from, way_.bytes, way_.kind, stream_));
  }

  CopyTimes times(uint64_t call_ns, uint64_t return_ns) {
    CopyTimes found;
    std::sort(records.begin(), records.end(), [](auto& a, auto& b) { return a.begin_ns < b.begin_ns; });
    uint64_t first = ~0ull, last = 0;
    for (const Record& record : records)
      if (record.is_copy) {
        first = std::min(first, record.begin_ns);
        last = std::max(last, record.end_ns);
        found.busy += (record.end_ns - record.begin_ns) * 1e-3;
        ++found.records;
      }
    float ms = 0;
    NEED(cudaEventElapsedTime(&ms, begin_, end_));
    found.call = (return_ns - call_ns) * 1e-3;
    found.record = (last - first) * 1e-3;
    found.lead = (static_cast<double>(first) - static_cast<double>(call_ns)) * 1e-3;
    found.between = (static_cast<double>(records.back().begin_ns) - static_cast<double>(records.front().end_ns)) * 1e-3;
    found.events = 1000 * ms;
    return found;
  }

  Way way_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  void* host_ = nullptr;
  void* device_ = nullptr;
  float* value_ = nullptr;
};

double median(std::vector<CopyTimes> times, double CopyTimes::* field) {
  std::sort(times.begin(), times.end(), [&](auto& a, auto& b) { return a.*field < b.*field; });
  return times[times.size() / 2].*field;
}

void ask(const Way& way) {
  use_device();
  if (cuptiActivityRegisterCallbacks(give_buffer, take_records) != CUPTI_SUCCESS) return;
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  CopyTiming timing(way);
  std::vector<CopyTimes> times;
  timing.measure();
  for (int i = 0; i < kRepeats; ++i) times.push_back(timing.measure());
  char text[200];
  std::snprintf(text, sizeof text,
                "call %.1f, records %.0f: %.1f in all, %.1f busy, begin %.1f after the call; between kernels %.1f; "
                "events %.1f us",
                median(times, &CopyTimes::call), median(times, &CopyTimes::records), median(times, &CopyTimes::record),
                median(times, &CopyTimes::busy), median(times, &CopyTimes::lead), median(times, &CopyTimes::between),
                median(times, &CopyTimes::events));
  tell("medians", text);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost})
    for (const Memory memory : {Memory::pageable, Memory::pinned})
      for (const Call call : {Call::waits, Call::returns_early})
        for (const size_t kib : {4, 32, 128, 1024, 16384, 131072}) {
          const Way way{kind, memory, call, kib << 10};
          all.push_back({way.name(), [way] { ask(way); }});
        }
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
