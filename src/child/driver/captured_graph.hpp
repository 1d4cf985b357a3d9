#pragma once
#include <cuda.h>

#include <functional>
#include <utility>

namespace kjoule::driver {

/// What was issued on a stream, made into a graph that can be launched again and again.
class CapturedGraph {
 public:
  CapturedGraph(CUstream stream, const std::function<void()>& issue_all);
  CapturedGraph(CapturedGraph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  CapturedGraph& operator=(CapturedGraph&&) = delete;
  ~CapturedGraph();
  CUresult launch(CUstream stream) const { return cuGraphLaunch(executable_, stream); }

 private:
  CUgraphExec executable_ = nullptr;
};

}  // namespace kjoule::driver
