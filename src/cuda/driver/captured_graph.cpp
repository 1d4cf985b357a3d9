#include "cuda/driver/captured_graph.hpp"

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

CapturedGraph::CapturedGraph(CUstream capture_stream, const std::function<void()>& issue_all) {
  KJOULE_CU(cuStreamBeginCapture(capture_stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUgraph graph = nullptr;
  try {
    issue_all();
  } catch (...) {
    cuStreamEndCapture(capture_stream, &graph);
    throw;
  }
  KJOULE_CU(cuStreamEndCapture(capture_stream, &graph));
  const CUresult result = cuGraphInstantiate(&executable_, graph, 0);
  cuGraphDestroy(graph);
  check(result, "cuGraphInstantiate");
}

CapturedGraph::~CapturedGraph() {
  if (executable_ != nullptr) cuGraphExecDestroy(executable_);
}

}  // namespace kjoule::cuda
