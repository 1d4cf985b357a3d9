// An injected library whose CUPTI callback does nothing at a kernel launch. It shows the cost of CUPTI's
// callbacks alone. Built and used by tests/gpu/slowdown.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace {

void CUPTIAPI on_launch(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

template <typename Function>
Function* found(void* library, const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) std::fprintf(stderr, "empty_callback: no %s\n", name);
  return function;
}

}  // namespace

extern "C" int InitializeInjection() {
  static CUpti_SubscriberHandle subscriber = nullptr;
  if (subscriber != nullptr) return 1;
  const std::string name = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);  // the program's own
  if (library == nullptr) library = dlopen(name.c_str(), RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "empty_callback: %s\n", dlerror());
    return 0;
  }
  auto* subscribe = found<decltype(cuptiSubscribe)>(library, "cuptiSubscribe");
  auto* enable = found<decltype(cuptiEnableCallback)>(library, "cuptiEnableCallback");
  if (subscribe == nullptr || enable == nullptr) return 0;
  if (subscribe(&subscriber, on_launch, nullptr) != CUPTI_SUCCESS) {
    std::fprintf(stderr, "empty_callback: cuptiSubscribe fails\n");
    return 0;
  }
  for (const CUpti_CallbackId id :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz})
    enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  return 1;
}
