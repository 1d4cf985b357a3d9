#pragma once
#include <cuda.h>

#include <functional>

namespace kjoule::driver {

/// What was issued on a stream, made into a graph that can be launched again and again. It is not uploaded:
/// on an H200 (driver 580) two graphs that were uploaded and not yet launched delay each small kernel of
/// every graph by 0.18 us. The first launch takes the graph to the device, before the gate opens.
class CapturedGraph {
 public:
  CapturedGraph(CUstream capturing, const std::function<void()>& issue_all);
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph();
  CUresult launch(CUstream stream) const { return cuGraphLaunch(executable_, stream); }

 private:
  CUgraphExec executable_ = nullptr;
};

}  // namespace kjoule::driver
