// CUPTI's callbacks: which calls of the driver are made.
#pragma once
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace facts {

/// While this object exists, the handler receives every callback of these domains. The handler may call the
/// driver: these calls cause no callbacks.
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

/// Returns a handler that passes on callbacks of the driver domain only.
Callbacks::Handler for_driver_calls(CallHandler handler);

/// Returns name and number, for example "cuMemFree_v2 (245)".
std::string call_name(CUpti_CallbackId id);

/// A list of calls in order; equal consecutive calls become one entry with a count.
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

/// Prints which driver calls a piece of work makes.
class CallRecorder {
 public:
  CallRecorder();
  /// Prints the calls, and the result of the work if it fails.
  void tell_calls(const std::string& what, const std::function<cudaError_t()>& work);

 private:
  CallList* calls_ = nullptr;
  Callbacks callbacks_;
};

}  // namespace facts
