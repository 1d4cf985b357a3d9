#pragma once
#include <cuda.h>

#include "module.hpp"

namespace kjoule::driver {

/// The kernel of stamps.cu, loaded into the current context. A stamp is one thread that writes the device
/// clock when all launches before it are done.
class StampKernel {
 public:
  StampKernel();
  /// Issues a stamp that writes nanoseconds to the 8 bytes at `slot`.
  void issue(CUdeviceptr slot, CUstream stream) const;

 private:
  Module module_;
  CUfunction write_;
};

}  // namespace kjoule::driver
