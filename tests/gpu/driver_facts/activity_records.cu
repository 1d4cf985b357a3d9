// May CUPTI's activity records be enabled or disabled within a callback of a graph launch?
#include <cuda_runtime.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "driver_calls.hpp"
#include "facts.hpp"
#include "graph_of_spins.cuh"

namespace facts {

namespace {

constexpr int kLaunches = 20;    ///< launches before, and after, the change

std::atomic<int> kernel_records = 0;

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t filled) {
  for (CUpti_Activity* record = nullptr; cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS;)
    kernel_records += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  std::free(buffer);
}

enum class Change { enable, disable };
enum class Place { enter, exit, between };
enum class Changer { same_thread, other_thread };
enum class Gpu { idle, busy };

struct Way {
  Change change;
  Place place;
  Changer changer;
  Gpu gpu;

  std::string name() const {
    const char* places[] = {"at the begin of a launch", "at the end of a launch", "between launches"};
    return std::string(change == Change::enable ? "enabled " : "disabled ") + places[static_cast<int>(place)] +
           (changer == Changer::other_thread ? ", by another thread" : "") +
           (gpu == Gpu::busy ? ", GPU busy" : ", GPU idle");
  }
};

void set_records(Change change) {
  const CUptiResult result = change == Change::enable ? cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
                                                      : cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) tell("change of the records", "error " + std::to_string(result));
}

void make_change(const Way& way) {
  if (way.change == Change::disable) cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (way.changer == Changer::other_thread)
    std::thread([&] { set_records(way.change); }).join();
  else
    set_records(way.change);
}

/// Launches a graph repeatedly, and makes the change in the middle.
void ask(const Way& way) {
  use_device();
  kernel_records = 0;
  if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) return;
  std::atomic<bool> due = false;
  const CUpti_ApiCallbackSite site = way.place == Place::enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  const Callbacks callbacks({CUPTI_CB_DOMAIN_DRIVER_API},
                            for_driver_calls([&](CUpti_CallbackId id, const CUpti_CallbackData& data) {
                              const bool is_launch = id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch;
                              if (is_launch && data.callbackSite == site && due.exchange(false)) make_change(way);
                            }));
  cudaStream_t stream = nullptr;
  float* value = nullptr;
  NEED(cudaStreamCreate(&stream));
  NEED(cudaMalloc(&value, sizeof *value));
  const cudaGraphExec_t first = captured_spins(stream, value), second = captured_spins(stream, value);
  if (way.change == Change::disable) set_records(Change::enable);
  for (int i = 0; i < 2 * kLaunches; ++i) {
    if (i == kLaunches && way.gpu == Gpu::idle) NEED(cudaStreamSynchronize(stream));
    if (i == kLaunches && way.place == Place::between) make_change(way);
    due = i == kLaunches && way.place != Place::between;
    NEED(cudaGraphLaunch(first, stream));
    NEED(cudaGraphLaunch(second, stream));
  }
  tell("waiting for all launches", name_of(cudaStreamSynchronize(stream)));
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  tell("records of kernels, of " + std::to_string(4 * kLaunches * kKernels), std::to_string(kernel_records));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Change change : {Change::disable, Change::enable})
    for (const Gpu gpu : {Gpu::idle, Gpu::busy})
      for (const Place place : {Place::enter, Place::exit, Place::between})
        for (const Changer changer : {Changer::same_thread, Changer::other_thread}) {
          const Way way{change, place, changer, gpu};
          all.push_back({way.name(), [way] { ask(way); }});
        }
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
