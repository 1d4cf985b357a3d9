#pragma once
#include <cuda.h>

#include <cstdint>

namespace kjoule::cuda {

/// What kjoule knows of a thread of the program.
struct ThreadState {
  bool exempt = false;         ///< whether its driver calls are kjoule's own and are ignored
  uint32_t copying = 0;        ///< correlation of the copy that it is making; 0 if none
  uint32_t launching_for = 0;  ///< number of the ProgramMonitor::watch() that counts its launch; 0 if none
};

/// State of the calling thread. A callback looks it up once, because each lookup of a thread-local variable
/// is a function call.
inline thread_local ThreadState thread_state;

/// Returns a handle that identifies a stream among those of all threads: the stream itself or, for the
/// calling thread's own default stream, which has the same handle in every thread, an address of the
/// thread's.
inline CUstream identity_of(CUstream stream) {
  return stream == CU_STREAM_PER_THREAD ? reinterpret_cast<CUstream>(&thread_state) : stream;
}

}  // namespace kjoule::cuda
