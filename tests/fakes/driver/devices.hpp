#pragma once
#include <cuda.h>

namespace stand_in {

/// Largest number of devices that a process can have.
constexpr int kMostDevices = 8;

/// Returns the number of devices that the process has: FAKE_CUDA_DEVICES, 1 by default.
int devices();
/// Returns the number in the machine of a device of the process: the first one has the number
/// FAKE_CUDA_DEVICE.
int number_in_machine(int device);

/// The context on which an operation runs, while it runs on this thread.
class Running {
 public:
  explicit Running(CUcontext context);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  /// Returns the context of the operation that runs on this thread; null if none runs.
  static CUcontext context();
  /// Returns the number in the process of this context's device; 0 if none runs.
  static int number();
  /// Returns the number in the machine of this device.
  static int device();

 private:
  CUcontext before_;
};

}  // namespace stand_in
