#pragma once
#include <cuda.h>

#include <map>
#include <memory>
#include <unordered_map>

#include "cuda/calls/call.hpp"

namespace kjoule::cuda {

/// Libraries and modules, each with one of its functions.
using Containers = std::map<const void*, std::shared_ptr<const Function>>;

/// The descriptions of functions by handle. Each function is described once, when it is first used.
class FunctionTable {
 public:
  /// Returns the description of a function. Throws DeviceError as describe() does.
  const std::shared_ptr<const Function>& get(CUfunction handle);
  /// Forgets the functions of a library or module that the program unloads, because the driver may reuse
  /// their handles.
  void forget(const void* container);
  /// Forgets all functions. Those that the program still uses are described again.
  void clear() { known_.clear(); }
  /// Returns the libraries and modules of all functions.
  Containers containers() const;

 private:
  std::unordered_map<CUfunction, std::shared_ptr<const Function>> known_;
};

}  // namespace kjoule::cuda
