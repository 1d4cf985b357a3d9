#pragma once
#include <map>

#include "base/process/mutex.hpp"
#include "cuda/calls/driver_callbacks.hpp"

namespace kjoule::cuda {

/// The callbacks of a process, for several users: those calls have callbacks that at least one user wants.
class SharedCallbacks {
 public:
  explicit SharedCallbacks(Cupti& cupti) : callbacks_(cupti) {}
  /// Sets the extent that `user`, any address, wants. Throws Error if CUPTI refuses.
  void set(const void* user, DriverCallbacks::Extent extent);

 private:
  Mutex mutex_;
  std::map<const void*, DriverCallbacks::Extent> wanted_ KJOULE_GUARDED_BY(mutex_);
  DriverCallbacks callbacks_ KJOULE_GUARDED_BY(mutex_);
};

}  // namespace kjoule::cuda
