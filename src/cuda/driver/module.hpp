#pragma once
#include <cuda.h>

namespace kjoule::cuda {

/// Device code of kjoule in the current context. The destructor unloads it.
class Module {
 public:
  /// Throws DeviceError when the driver cannot compile the PTX for the GPU.
  explicit Module(const char* ptx);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  CUfunction function(const char* name) const;

 private:
  CUmodule module_ = nullptr;
};

}  // namespace kjoule::cuda
