#pragma once
#include <cuda.h>

#include <memory>
#include <unordered_map>

#include "cuda/call.hpp"

namespace kjoule::cuda {

/// The descriptions of functions by handle. Each function is described once, when it is first used.
class FunctionTable {
 public:
  /// Returns the description of a function. Throws DeviceError as describe() does.
  const std::shared_ptr<const Function>& get(CUfunction handle);

 private:
  std::unordered_map<CUfunction, std::shared_ptr<const Function>> known_;
};

}  // namespace kjoule::cuda
