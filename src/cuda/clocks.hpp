#pragma once
#include <cuda.h>

#include <cstdint>
#include <optional>

#include "cuda/host_memory.hpp"
#include "cuda/module.hpp"

namespace kjoule::driver {

/// The kernel of clocks.cu, loaded into the current context.
class ClockKernel {
 public:
  ClockKernel();
  unsigned processors() const { return processors_; }
  /// `readings` has room for a Reading of each processor.
  void read(CUdeviceptr readings, CUstream stream) const;

  struct Reading {
    uint64_t cycles;
    uint64_t nanoseconds;
  };

 private:
  Module module_;
  CUfunction read_;
  unsigned processors_ = 0;
};

/// The mean clock between two moments of a stream of work.
class ClockSpan {
 public:
  explicit ClockSpan(const ClockKernel& kernel);
  void begin(CUstream stream) const { kernel_.read(readings_.address(), stream); }
  void end(CUstream stream) const { kernel_.read(readings_.address() + bytes_, stream); }
  /// Of the last time that the work was done, in Hz; nothing when no processor was read at both moments.
  /// Waits for nothing.
  std::optional<double> mean_hz() const;

 private:
  const ClockKernel& kernel_;
  size_t bytes_;  ///< of the readings at one moment
  HostMemory readings_;
};

}  // namespace kjoule::driver
