#pragma once
#include <cuda.h>

#include <cstdint>

namespace kjoule::cuda {

/// The data that kjoule keeps of a thread of the program.
struct ThreadState {
  bool exempt = false;   ///< whether the thread's driver calls are kjoule's own, which are ignored
  uint32_t copying = 0;  ///< CUPTI's correlation id of the thread's copy in progress; 0: none
  /// Number of the ProgramMonitor::watch() that counts the launch in progress; 0: none.
  uint32_t launching_for = 0;
  /// Numbers of the recorded launches that the call in progress has added: the first, and one past the last.
  uint32_t first_kept = 0, end_kept = 0;
};

/// State of the calling thread. A callback looks it up only once, because each lookup of a thread-local
/// variable is a function call.
inline thread_local ThreadState thread_state;

/// Returns a handle that identifies a stream among the streams of all threads. This is the stream itself,
/// except for CU_STREAM_PER_THREAD, which has the same value in every thread: for this stream the result is
/// an address in the calling thread's data.
inline CUstream identity_of(CUstream stream) {
  return stream == CU_STREAM_PER_THREAD ? reinterpret_cast<CUstream>(&thread_state) : stream;
}

}  // namespace kjoule::cuda
