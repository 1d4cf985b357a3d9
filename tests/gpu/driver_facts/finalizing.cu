// Where may CUPTI be finalized while a program launches graphs?
#include <cuda_runtime.h>

#include <atomic>
#include <cstdlib>

#include "driver_calls.hpp"
#include "facts.hpp"
#include "graph_of_spins.cuh"

namespace facts {

namespace {

constexpr int kSteps = 20;  ///< steps before, and after, finalizing

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) {
  std::free(buffer);
}

/// When records of kernels are enabled before CUPTI is finalized.
enum class Records { none, until_the_call, until_a_step_before };

struct Way {
  CUpti_CallbackId call;  ///< call at whose end CUPTI is finalized
  const char* name_of_call;
  bool waits;  ///< whether the host waits for the GPU before it
  Records records;

  std::string name() const {
    const char* records_names[] = {"no records", "records until then", "records until the step before"};
    return std::string("at the end of ") + name_of_call + (waits ? " after waiting, " : ", ") +
           records_names[static_cast<int>(records)];
  }
};

/// On request, disables the records and finalizes CUPTI within a callback.
class Finalizer {
 public:
  explicit Finalizer(const Way& way) : way_(way) {
    cuptiSubscribe(&subscriber_, deliver, this);
    cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API);
    cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    if (way_.records != Records::none) cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }
  void stop_records() { disabling_ = true; }
  void finalize() { due_ = true; }
  bool is_done() const { return done_; }

 private:
  static void CUPTIAPI deliver(void* self, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
    static_cast<Finalizer*>(self)->on_call(id, *static_cast<const CUpti_CallbackData*>(data));
  }
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (in_callback_ || done_) return;
    in_callback_ = true;
    if (disabling_ && data.callbackSite == CUPTI_API_ENTER && id == way_.call) {
      disabling_ = false;
      cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
      cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    }
    if (due_ && data.callbackSite == CUPTI_API_EXIT && id == way_.call) {
      done_ = true;
      if (way_.waits) cuCtxSynchronize();
      cuptiFinalize();
    }
    in_callback_ = false;
  }

  Way way_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool disabling_ = false, due_ = false, done_ = false, in_callback_ = false;
};

void ask(const Way& way) {
  use_device();
  Finalizer finalizer(way);
  cudaStream_t stream = nullptr;
  float* value = nullptr;
  NEED(cudaStreamCreate(&stream));
  NEED(cudaMalloc(&value, sizeof *value));
  const cudaGraphExec_t first = captured_spins(stream, value), second = captured_spins(stream, value);
  for (int step = 0; step < 2 * kSteps; ++step) {
    const bool stops = way.records == Records::until_a_step_before ? step == kSteps - 1 : step == kSteps;
    if (way.records != Records::none && stops) finalizer.stop_records();
    if (step == kSteps) finalizer.finalize();
    NEED(cudaGraphLaunch(first, stream));
    NEED(cudaGraphLaunch(second, stream));
    spin<<<1, 1, 0, stream>>>(value);
    NEED(cudaStreamSynchronize(stream));
  }
  tell("all steps", finalizer.is_done() ? "no fault" : "no fault, but CUPTI was not finalized");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::pair<CUpti_CallbackId, const char*> calls[] = {
      {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "a graph launch"},
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "a kernel launch"},
      {CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, "a wait"}};
  for (const auto& [call, name] : calls)
    for (const bool waits : {false, true})
      for (const Records records : {Records::none, Records::until_the_call, Records::until_a_step_before}) {
        const Way way{call, name, waits, records};
        all.push_back({way.name(), [way] { ask(way); }});
      }
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
