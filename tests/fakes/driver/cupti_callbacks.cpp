// CUPTI's callback side: a single subscriber, which is called back at every driver call that it enabled.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "cupti.hpp"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback;
  void* user;
};

namespace {

std::atomic<CUpti_SubscriberHandle> subscriber{nullptr};
std::atomic<bool> enabled[CUPTI_DRIVER_TRACE_CBID_SIZE];
std::atomic<bool> modules_enabled;
thread_local bool at_exit_of_a_call = false;

void tell(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  CUpti_SubscriberHandle to = subscriber;
  if (to == nullptr || id >= CUPTI_DRIVER_TRACE_CBID_SIZE || !enabled[id]) return;
  at_exit_of_a_call = data.callbackSite == CUPTI_API_EXIT;
  to->callback(to->user, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  at_exit_of_a_call = false;
}

void tell_module(const void* cubin, size_t bytes) {
  CUpti_SubscriberHandle to = subscriber;
  if (to == nullptr || !modules_enabled) return;
  CUpti_ModuleResourceData module{};
  module.pCubin = static_cast<const char*>(cubin);
  module.cubinSize = bytes;
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &module;
  to->callback(to->user, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
}

}  // namespace

/// FAKE_CUPTI_TAKEN=1: behaves as if a profiler had already subscribed.
extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* handle,
                                                                CUpti_CallbackFunc callback, void* userdata) {
  const char* taken = std::getenv("FAKE_CUPTI_TAKEN");
  if (subscriber != nullptr || (taken != nullptr && *taken == '1'))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *handle = new CUpti_Subscriber_st{callback, userdata};
  subscriber = *handle;
  stand_in::hooks().call = tell;
  stand_in::hooks().module_loaded = tell_module;
  return CUPTI_SUCCESS;
}

/// The handle is not freed, because another thread may be in its callback.
extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  subscriber = nullptr;
  stand_in::hooks().call = nullptr;
  stand_in::hooks().module_loaded = nullptr;
  return CUPTI_SUCCESS;
}

/// Unless called at the end of a driver call, cuptiFinalize() breaks the program's context. FAKE_CUPTI_SAYS=1
/// makes it print that it was called, and whether at the end of a call.
extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiFinalize() {
  const char* says = std::getenv("FAKE_CUPTI_SAYS");
  if (says != nullptr && *says == '1')
    std::fprintf(stderr, "stand-in for CUPTI: taken out %s\n",
                 at_exit_of_a_call ? "at the end of a call" : "amid calls");
  if (!at_exit_of_a_call) std::abort();
  return cuptiUnsubscribe(subscriber);
}

extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle,
                                                                     CUpti_CallbackDomain domain,
                                                                     CUpti_CallbackId cbid) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    modules_enabled = enable != 0;
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return CUPTI_SUCCESS;
  if (cbid >= CUPTI_DRIVER_TRACE_CBID_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  enabled[cbid] = enable != 0;
  return CUPTI_SUCCESS;
}

extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle,
                                                                   CUpti_CallbackDomain domain) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    for (auto& one : enabled) one = enable != 0;
  return CUPTI_SUCCESS;
}

extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** str) {
  *str = result == CUPTI_SUCCESS ? "no error" : "an error of the stand-in's";
  return CUPTI_SUCCESS;
}

extern "C" STAND_IN_VISIBLE CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
