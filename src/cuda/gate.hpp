#pragma once
#include <cuda.h>

#include "cuda/host_memory.hpp"
#include "cuda/module.hpp"

namespace kjoule::driver {

/// Holds a stream of the current context while the host hands over work for it. The device begins when all of
/// a graph is there; otherwise it would overtake the host, which needs about as long to hand over a small
/// launch as the device to run it, and a stretch's time would tell of the host.
class Gate {
 public:
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// What is put into the stream afterwards waits.
  void close(CUstream stream);
  /// It goes on. So it does after 50 ms anyway: a driver whose queue is full waits for the
  /// device.
  void open();
  /// What is put into the stream afterwards, or into the graph, begins so many ns later as a 32-bit number on
  /// the device then says.
  void pause(CUdeviceptr ns, CUstream stream) const;

 private:
  Module module_;
  CUfunction wait_, pause_;
  HostMemory memory_;
  unsigned* opened_;
  unsigned closed_ = 0;
};

}  // namespace kjoule::driver
