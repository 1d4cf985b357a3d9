#include "cuda/replay/overlapped_track.hpp"

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

/// Returns the nodes that the next launch into a capturing stream will wait for.
std::vector<CUgraphNode> waited_for(CUstream stream) {
  CUstreamCaptureStatus status{};
  const CUgraphNode* nodes = nullptr;
  size_t count = 0;
  KJOULE_CU(cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count));
  return {nodes, nodes + count};
}

void wait_for(CUstream stream, std::vector<CUgraphNode> nodes) {
  KJOULE_CU(cuStreamUpdateCaptureDependencies(stream, nodes.data(), nullptr, nodes.size(),
                                              CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

}  // namespace

OverlappedTrack::OverlappedTrack(const ReplayContext& context) : GatedTrack(context, 2) {
  capture([&] { issue_all(); }, [&] { context_.memory->issue_restore(context_.capture_stream); });
}

void OverlappedTrack::finish_repeat() {
  context_.memory->restore_after(1, context_.replay_stream);
}

void OverlappedTrack::issue_all() {
  issue_stamp();
  const std::vector<CUgraphNode> begin = waited_for(context_.capture_stream);
  std::vector<std::vector<CUgraphNode>> nodes;
  std::vector<bool> last(context_.calls.size(), true);
  for (const Call& call : context_.calls) {
    std::vector<CUgraphNode> before;
    for (const uint32_t launch : call.waits_for) {
      before.insert(before.end(), nodes[launch].begin(), nodes[launch].end());
      last[launch] = false;
    }
    wait_for(context_.capture_stream, before.empty() ? begin : before);
    issue(call, context_.capture_stream);
    nodes.push_back(waited_for(context_.capture_stream));
  }
  std::vector<CUgraphNode> leaves;
  for (size_t launch = 0; launch < nodes.size(); ++launch)
    if (last[launch]) leaves.insert(leaves.end(), nodes[launch].begin(), nodes[launch].end());
  wait_for(context_.capture_stream, leaves);
  issue_stamp();
}

}  // namespace kjoule::cuda
