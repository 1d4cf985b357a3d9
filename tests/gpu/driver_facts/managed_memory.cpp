// How long does a kernel take that reads managed memory, depending on where the memory was before?
#include <algorithm>
#include <cstdio>

#include "facts.hpp"
#include "probes.hpp"

namespace facts {

namespace {

constexpr size_t kBytes = 32 << 20;
constexpr int kLaunches = 20;
constexpr unsigned kSeed = 23;

enum class Kind { plain, managed, prefetched, preferred };

std::string microseconds(float us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", us);
  return text;
}

/// Returns the times in us of launches that read all of the memory. Each launch waits for the previous one.
std::vector<float> launch_times(CUdeviceptr memory, int launches) {
  CUevent begin = nullptr;
  CUevent end = nullptr;
  NEED(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  NEED(cuEventCreate(&end, CU_EVENT_DEFAULT));
  std::vector<float> times;
  for (int i = 0; i < launches; ++i) {
    float ms = 0;
    NEED(cuEventRecord(begin, nullptr));
    launch_read(memory, kBytes, kSeed);
    NEED(cuEventRecord(end, nullptr));
    NEED(cuEventSynchronize(end));
    NEED(cuEventElapsedTime(&ms, begin, end));
    times.push_back(1000 * ms);
  }
  return times;
}

void tell_attributes(CUdeviceptr memory) {
  int concurrent = 0;
  unsigned managed = 0;
  NEED(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
  NEED(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, memory));
  tell("CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS", std::to_string(concurrent));
  tell("CU_POINTER_ATTRIBUTE_IS_MANAGED", std::to_string(managed));
}

void move_to_device(CUdeviceptr memory, Kind kind) {
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  if (kind == Kind::preferred)
    NEED(cuMemAdvise(memory, kBytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
  if (kind == Kind::preferred || kind == Kind::prefetched)
    NEED(cuMemPrefetchAsync(memory, kBytes, device, 0, nullptr));
  NEED(cuCtxSynchronize());
}

/// Returns memory that contains the pattern. Managed memory is written by the host.
CUdeviceptr written_memory(Kind kind) {
  CUdeviceptr memory = 0;
  if (kind == Kind::plain) {
    NEED(cuMemAlloc(&memory, kBytes));
    launch_write(memory, kBytes, kSeed);
  } else {
    NEED(cuMemAllocManaged(&memory, kBytes, CU_MEM_ATTACH_GLOBAL));
    write_on_host(reinterpret_cast<void*>(memory), kBytes, kSeed);
  }
  move_to_device(memory, kind);
  return memory;
}

void copy_to_plain(CUdeviceptr memory) {
  CUdeviceptr copy = 0;
  NEED(cuMemAlloc(&copy, kBytes));
  NEED(cuMemcpyDtoD(copy, memory, kBytes));
  NEED(cuCtxSynchronize());
  tell_read("read of the copy", copy, kBytes, kSeed);
}

void time_launches(Kind kind) {
  start_probes();
  const CUdeviceptr memory = written_memory(kind);
  tell_attributes(memory);
  std::vector<float> times = launch_times(memory, kLaunches);
  tell("first launch", microseconds(times[0]));
  tell("second launch", microseconds(times[1]));
  std::sort(times.begin() + 1, times.end());
  tell("later launches, median", microseconds(times[1 + (kLaunches - 1) / 2]));
  tell("later launches, longest", microseconds(times.back()));
  copy_to_plain(memory);
  tell("first launch after cuMemcpyDtoD", microseconds(launch_times(memory, 1)[0]));
  tell_read("read", memory, kBytes, kSeed);
}

void copy_first() {
  start_probes();
  const CUdeviceptr memory = written_memory(Kind::managed);
  copy_to_plain(memory);
  const std::vector<float> times = launch_times(memory, 2);
  tell("first launch after cuMemcpyDtoD", microseconds(times[0]));
  tell("second launch", microseconds(times[1]));
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  using facts::Kind;
  return facts::answer(count, arguments,
                       {{"touched by the host", [] { facts::time_launches(Kind::managed); }},
                        {"prefetched", [] { facts::time_launches(Kind::prefetched); }},
                        {"preferred location and prefetched", [] { facts::time_launches(Kind::preferred); }},
                        {"plain memory", [] { facts::time_launches(Kind::plain); }},
                        {"touched by the host, copied first", facts::copy_first}});
}
