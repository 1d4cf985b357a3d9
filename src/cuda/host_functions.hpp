#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace kjoule::cuda {

/// The functions of the host that the program puts into streams while it is recorded (cuLaunchHostFunc). The
/// replay does not call them. Two functions of kjoule, one before and one after each, read the clock.
class HostFunctions {
 public:
  /// Takes note of a function that the program is about to put into the stream, and of the call's end.
  void begin(CUstream stream);
  void end(CUstream stream);
  /// Takes note of functions within a CUDA graph, which are not timed.
  void add_of_graph(size_t functions) { of_graphs_ += functions; }

  size_t in_streams() const { return spans_.size(); }
  size_t in_graphs() const { return of_graphs_; }
  /// Returns the time of those in streams, s. Their streams must be idle.
  double seconds() const;

 private:
  struct Span {
    int64_t begin_ns = 0, end_ns = 0;
  };
  std::vector<std::shared_ptr<Span>> spans_;
  std::map<CUstream, std::shared_ptr<Span>> begun_;  ///< whose call has not ended
  size_t of_graphs_ = 0;
};

}  // namespace kjoule::cuda
