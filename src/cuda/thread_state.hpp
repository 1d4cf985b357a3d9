#pragma once

namespace kjoule::cuda {

/// What kjoule knows of a thread of the program.
struct ThreadState {
  bool exempt = false;     ///< whether its driver calls are kjoule's own and are ignored
  bool launching = false;  ///< whether its launch is counted as in flight
};

/// State of the calling thread. A callback looks it up once, because each lookup of a thread-local variable
/// is a function call.
inline thread_local ThreadState thread_state;

}  // namespace kjoule::cuda
