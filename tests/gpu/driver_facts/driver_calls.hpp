// CUPTI's callbacks: what the driver is called for.
#pragma once
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace facts {

/// While it exists, the handler gets every callback of these domains. It may call the driver itself: it is
/// not called for its own calls.
class Callbacks {
 public:
  using Handler = std::function<void(CUpti_CallbackDomain, CUpti_CallbackId, const void*)>;
  /// Ends the case if CUPTI refuses.
  Callbacks(std::initializer_list<CUpti_CallbackDomain> domains, Handler handler);
  ~Callbacks();
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

 private:
  static void CUPTIAPI deliver(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data);

  Handler handler_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

using CallHandler = std::function<void(CUpti_CallbackId, const CUpti_CallbackData&)>;

/// Returns a handler of the driver's domain only.
Callbacks::Handler for_driver_calls(CallHandler handler);

/// Returns name and number, for example "cuMemFree_v2 (245)".
std::string call_name(CUpti_CallbackId id);

/// A list of calls in their order; equal neighbours become one entry with a count.
class CallList {
 public:
  void add(const std::string& call);
  std::string text() const;

 private:
  struct Entry {
    std::string call;
    int count;
  };
  std::vector<Entry> entries_;
};

/// Tells which driver calls pieces of work make.
class CallRecorder {
 public:
  CallRecorder();
  /// Tells the calls, and what the work returns if it fails.
  void tell_calls(const std::string& what, const std::function<cudaError_t()>& work);

 private:
  CallList* calls_ = nullptr;
  Callbacks callbacks_;
};

}  // namespace facts
