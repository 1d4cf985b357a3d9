#pragma once
#include <cuda.h>

#include <functional>
#include <utility>

namespace kjoule::driver {

/// The default stream, which most programs' launches are in. All that is played runs there: in a stream of
/// our own beside it the driver leaves more time between small launches (docs/method.md).
constexpr CUstream kPlaying = nullptr;

/// What was issued on a stream, made into a graph that can be launched again and again. It is not uploaded:
/// on an H200 (driver 580) two graphs that were uploaded and not yet launched delay each small kernel of
/// every graph by 0.18 us. The first launch takes the graph to the device, before the gate opens.
class CapturedGraph {
 public:
  CapturedGraph(CUstream capturing, const std::function<void()>& issue_all);
  CapturedGraph(CapturedGraph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  CapturedGraph& operator=(CapturedGraph&&) = delete;
  ~CapturedGraph();
  CUresult launch() const { return cuGraphLaunch(executable_, kPlaying); }

 private:
  CUgraphExec executable_ = nullptr;
};

}  // namespace kjoule::driver
