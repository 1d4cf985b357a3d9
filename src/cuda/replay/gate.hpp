#pragma once
#include <cuda.h>

#include "cuda/driver/host_memory.hpp"
#include "cuda/driver/module.hpp"

namespace kjoule::cuda {

/// Holds a stream of the current context until the host has submitted all work of a graph. The host needs
/// about as long to submit a small launch as the device needs to run it. Without a gate, the device would
/// therefore wait for the host, and the measured times would include time of the host.
class Gate {
 public:
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// Makes all work that is issued into the stream afterwards wait for open().
  void close(CUstream stream);
  /// Releases the waiting work. The gate also opens by itself after 50 ms: the driver waits for the device
  /// when the driver's queue is full, so that the host might never reach open().
  void open();
  /// Issues a pause: work issued into the stream (or captured into its graph) afterwards starts later. The
  /// device reads the length in ns from the 32-bit word at address `ns` when the pause begins.
  void pause(CUdeviceptr ns, CUstream stream) const;

 private:
  Module module_;
  CUfunction wait_, pause_;
  HostMemory memory_;
  unsigned* opened_;
  unsigned closed_ = 0;
};

}  // namespace kjoule::cuda
