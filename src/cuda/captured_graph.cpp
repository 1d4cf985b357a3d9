#include "cuda/captured_graph.hpp"

#include "cuda/check.hpp"

namespace kjoule::driver {

CapturedGraph::CapturedGraph(CUstream capturing, const std::function<void()>& issue_all) {
  KJOULE_CU(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUgraph graph = nullptr;
  try {
    issue_all();
  } catch (...) {
    cuStreamEndCapture(capturing, &graph);
    throw;
  }
  KJOULE_CU(cuStreamEndCapture(capturing, &graph));
  const CUresult result = cuGraphInstantiate(&executable_, graph, 0);
  cuGraphDestroy(graph);
  check(result, "cuGraphInstantiate");
}

CapturedGraph::~CapturedGraph() {
  if (executable_ != nullptr) cuGraphExecDestroy(executable_);
}

}  // namespace kjoule::driver
