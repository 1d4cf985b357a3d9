#pragma once
#include <cuda.h>

#include "cuda/module.hpp"

namespace kjoule::driver {

/// Steps of the device clock, in ns.
struct ClockSteps {
  double shortest_ns = 0;
  double mean_ns = 0;
};

/// The kernels of stamps.cu, loaded into the current context. A stamp is one thread that writes the device
/// clock when all launches before it are done.
class StampKernels {
 public:
  /// As records of what ran name a stamp.
  static constexpr const char* kStampName = "write_stamp";

  StampKernels();
  /// Issues a stamp that writes nanoseconds to the 8 bytes at `slot`.
  void issue(CUdeviceptr slot, CUstream stream) const;
  /// Issues a kernel of one thread that does nothing.
  void issue_nothing(CUstream stream) const;
  /// Waits for the device.
  ClockSteps measure_clock_steps() const;

 private:
  Module module_;
  CUfunction write_, do_nothing_, measure_;
};

}  // namespace kjoule::driver
