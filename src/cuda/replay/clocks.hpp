#pragma once
#include <cuda.h>

#include <cstdint>
#include <optional>

#include "cuda/driver/host_memory.hpp"
#include "cuda/driver/module.hpp"

namespace kjoule::cuda {

/// The kernel of clocks.cu, which reads the clocks of all multiprocessors. It is loaded into the current
/// context.
class ClockKernel {
 public:
  ClockKernel();
  unsigned processors() const { return processors_; }
  /// Issues the kernel. It writes one ClockValue for each multiprocessor to `readings`.
  void read(CUdeviceptr readings, CUstream stream) const;

  struct ClockValue {
    uint64_t cycles;
    uint64_t nanoseconds;
  };

 private:
  Module module_;
  CUfunction read_;
  unsigned processors_ = 0;
};

/// Measures the mean multiprocessor clock between two points of a stream.
class ClockSpan {
 public:
  explicit ClockSpan(const ClockKernel& kernel);
  void begin(CUstream stream) const { kernel_.read(readings_.address(), stream); }
  void end(CUstream stream) const { kernel_.read(readings_.address() + bytes_, stream); }
  /// Returns the mean clock of the last execution in Hz, as the median over the multiprocessors; nothing if
  /// no multiprocessor was read at both points. Does not wait for the device.
  std::optional<double> mean_hz() const;

 private:
  const ClockKernel& kernel_;
  size_t bytes_;  ///< size of the readings at one point
  HostMemory readings_;
};

}  // namespace kjoule::cuda
