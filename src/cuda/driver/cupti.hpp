#pragma once
// The folder driver contains everything that the other folders need of the CUDA driver and of NVIDIA's tools,
// and depends on none of these folders. Cupti reports the program's driver calls and logs its activities
// (ActivityLog, ActivityRecords); nvtx.hpp reports the program's ranges. Allocations knows which addresses
// are device memory. Buffer, Module and CapturedGraph own objects of the driver; KJOULE_CU (check.hpp) turns
// an error of the driver into a DeviceError. Read first: Cupti, Allocations, check.hpp.

#include <cupti.h>

#include <string>

namespace kjoule::cuda {

/// The functions of CUPTI that kjoule uses. If the program has loaded a CUPTI, its functions are used;
/// otherwise the first CUPTI that is found is loaded. The environment variable KJOULE_CUPTI=FILE selects a
/// library.
class Cupti {
 public:
  /// Throws Error if CUPTI is not found, or if another tool (a profiler in the program) uses it.
  Cupti(CUpti_CallbackFunc callback, void* user);
  void enable(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on);
  /// Like enable() for a driver call, but does nothing if this CUPTI is too old to know the call.
  void enable_if_known(CUpti_CallbackId driver_call, bool on);
  void enable_all(CUpti_CallbackDomain domain, bool on);
  /// Removes CUPTI from the process, so that CUPTI no longer slows launches. Call detach() only at the end of
  /// a callback that reports the exit of a driver call, and call no function of this class afterwards.
  void detach() { finalize_(); }
  /// Returns the number of a stream in activity records. CU_STREAM_PER_THREAD has another number in each
  /// thread. Throws Error if CUPTI refuses.
  uint32_t stream_id(CUcontext context, CUstream stream) const;
  const std::string& path() const { return path_; }
  /// Returns another function of CUPTI. Throws Error if the library has no function of this name.
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Throws Error unless `result` is CUPTI_SUCCESS.
  void check(CUptiResult result, const char* call) const;

 private:
  void* symbol(const char* name) const;

  std::string path_;
  void* library_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  decltype(&cuptiSubscribe) subscribe_ = nullptr;
  decltype(&cuptiEnableCallback) enable_callback_ = nullptr;
  decltype(&cuptiEnableDomain) enable_domain_ = nullptr;
  decltype(&cuptiFinalize) finalize_ = nullptr;
  decltype(&cuptiGetResultString) result_string_ = nullptr;
  decltype(&cuptiGetStreamIdEx) stream_id_ = nullptr;
};

}  // namespace kjoule::cuda
