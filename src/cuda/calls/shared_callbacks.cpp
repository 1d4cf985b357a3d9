#include "cuda/calls/shared_callbacks.hpp"

#include <algorithm>

namespace kjoule::cuda {

void SharedCallbacks::set(const void* user, DriverCallbacks::Extent extent) {
  const MutexLock lock(mutex_);
  wanted_[user] = extent;
  for (const auto& [other, wanted] : wanted_) extent = std::max(extent, wanted);
  callbacks_.set(extent);
}

}  // namespace kjoule::cuda
