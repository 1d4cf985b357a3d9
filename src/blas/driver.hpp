#pragma once
#include <cuda.h>

#include <string>

#include "base/process/library.hpp"

namespace kjoule::blas {

/// The functions of the CUDA driver that this program calls. The driver is loaded at run time, so that an
/// Error can name it if it is absent.
struct Driver {
  /// Throws Error if there is no driver, or if it lacks one of these functions.
  static const Driver& loaded();

#define KJOULE_DRIVER_FUNCTIONS(use)                                                                     \
  use(cuInit) use(cuDeviceGet) use(cuDevicePrimaryCtxRetain) use(cuCtxSetCurrent) use(cuMemAlloc)        \
      use(cuMemFree) use(cuMemGetInfo) use(cuMemcpyHtoD) use(cuMemcpyDtoD) use(cuMemsetD8)               \
          use(cuStreamCreate) use(cuStreamSynchronize) use(cuStreamBeginCapture) use(cuStreamEndCapture) \
              use(cuGraphGetNodes) use(cuGraphNodeGetType) use(cuGraphKernelNodeGetParams)               \
                  use(cuGraphDestroy) use(cuFuncGetName) use(cuKernelGetName) use(cuGetErrorString)
#define KJOULE_DRIVER_MEMBER(function) decltype(&::function) function = nullptr;
  KJOULE_DRIVER_FUNCTIONS(KJOULE_DRIVER_MEMBER)
#undef KJOULE_DRIVER_MEMBER

  /// Throws Error if a call of the driver failed. `what` is the message, for example "a stream could not be
  /// created".
  void check(CUresult result, const std::string& what) const;

 private:
  explicit Driver(Library library);
  Library library_;
};

}  // namespace kjoule::blas
