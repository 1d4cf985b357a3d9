#pragma once
#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cuda/calls/call_in_stream.hpp"

namespace kjoule::cuda {

/// The host functions that the program puts into streams while it is recorded (cuLaunchHostFunc). The replay
/// does not call host functions, but their time is measured: before and after each host function, a function
/// of kjoule reads the clock.
class HostFunctions {
 public:
  /// Registers a host function that the calling thread is about to put into the stream. Returns the function
  /// of kjoule that the caller must put into the stream before the host function.
  StreamCall begin(CUstream stream);
  /// Returns the function of kjoule that must be put into the stream after the calling thread's latest host
  /// function; nothing if begin() was not called for that function.
  std::optional<StreamCall> end();
  /// Counts host functions within a CUDA graph, which are not timed.
  void add_of_graph(size_t functions) { of_graphs_ += functions; }

  size_t in_streams() const { return spans_.size(); }
  size_t in_graphs() const { return of_graphs_; }
  /// Returns the total time of the host functions in streams, in s; nothing if one of them was not timed.
  /// Their streams must be idle.
  std::optional<double> seconds() const;

 private:
  struct Span {
    std::atomic<int64_t> begin_ns = 0, end_ns = 0;
  };
  struct Begun {
    CUstream stream;
    std::shared_ptr<Span> span;
  };
  std::vector<std::shared_ptr<Span>> spans_;
  std::map<std::thread::id, Begun> begun_;  ///< threads whose cuLaunchHostFunc has not returned
  size_t of_graphs_ = 0;
};

}  // namespace kjoule::cuda
