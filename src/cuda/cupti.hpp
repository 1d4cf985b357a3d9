#pragma once
#include <cupti.h>

#include <string>

namespace kjoule::driver {

/// The functions of CUPTI that are used here, from the library that the program has loaded or one that is
/// found (KJOULE_CUPTI=FILE names another).
class Cupti {
 public:
  /// Throws Error when no CUPTI is found, or another tool (a profiler in the program) holds it.
  Cupti(CUpti_CallbackFunc callback, void* user);
  void enable(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on);
  void enable_all(CUpti_CallbackDomain domain, bool on);
  /// Takes CUPTI out of the process, so that launches cost what they cost without it; nothing here may be
  /// called afterwards. Only at the end of a callback that tells the end of a call.
  void detach() { finalize_(); }
  const std::string& path() const { return path_; }
  /// Another function of the same library. Throws Error when it has none of that name.
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Throws Error for anything but success.
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
};

}  // namespace kjoule::driver
