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

/// The functions of the host that the program puts into streams while it is recorded (cuLaunchHostFunc). The
/// replay does not call them. Two functions of kjoule, one before and one after each, read the clock.
class HostFunctions {
 public:
  /// Takes note of a function that the calling thread is about to put into the stream. Returns what is to be
  /// put there before it.
  StreamCall begin(CUstream stream);
  /// Returns what is to be put into the stream after the calling thread's latest function; nothing if begin()
  /// did not take note of it.
  std::optional<StreamCall> end();
  /// Takes note of functions within a CUDA graph, which are not timed.
  void add_of_graph(size_t functions) { of_graphs_ += functions; }

  size_t in_streams() const { return spans_.size(); }
  size_t in_graphs() const { return of_graphs_; }
  /// Returns the time of those in streams, s; nothing if one was not timed. Their streams must be idle.
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
  std::map<std::thread::id, Begun> begun_;  ///< whose calls have not ended
  size_t of_graphs_ = 0;
};

}  // namespace kjoule::cuda
