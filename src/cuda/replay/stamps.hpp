#pragma once
#include <cuda.h>

#include "cuda/driver/module.hpp"

namespace kjoule::cuda {

/// The resolution of the device clock: its shortest and mean step, in ns.
struct ClockSteps {
  double shortest_ns = 0;
  double mean_ns = 0;
};

/// The kernels of stamps.cu, loaded into the current context. A stamp is a one-thread kernel that writes the
/// device clock after all previous launches have ended.
class StampKernels {
 public:
  /// The name of stamps in CUPTI's activity records.
  static constexpr const char* kStampName = "write_stamp";

  StampKernels();
  /// Issues a stamp that writes the device clock in ns to the 8 bytes at `slot`.
  void issue(CUdeviceptr slot, CUstream stream) const;
  /// Issues an empty kernel of one thread.
  void issue_nothing(CUstream stream) const;
  /// Measures the steps of the device clock. Waits for the device.
  ClockSteps measure_clock_steps() const;

 private:
  Module module_;
  CUfunction write_, do_nothing_, measure_;
};

}  // namespace kjoule::cuda
