#pragma once
#include <cuda.h>

namespace kjoule::driver {

/// Device code of our own, loaded into the current context and unloaded with the object.
class Module {
 public:
  /// Throws DeviceError when the driver cannot compile it for the GPU.
  explicit Module(const char* ptx);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  CUfunction function(const char* name) const;

 private:
  CUmodule module_ = nullptr;
};

}  // namespace kjoule::driver
