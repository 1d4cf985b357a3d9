#include "player.hpp"

#include "check.hpp"

namespace kjoule::driver {

namespace {

using inject::Edge;
using inject::PlayLaunch;
using inject::PutBack;
using inject::ScheduleStep;

/// A driver's queue has room for about a thousand pieces of graphs, and every edge begins one. A graph of
/// more could not be handed over as long as the gate is closed.
constexpr int kMostSegments = 100;

/// The steps cut before put-backs, where nothing is timed.
std::vector<std::vector<ScheduleStep>> in_parts(const std::vector<ScheduleStep>& steps) {
  std::vector<std::vector<ScheduleStep>> parts(1);
  int segments = 0;
  for (const auto& step : steps) {
    if (segments >= kMostSegments && std::holds_alternative<PutBack>(step)) {
      parts.emplace_back();
      segments = 0;
    }
    parts.back().push_back(step);
    const auto* edge = std::get_if<Edge>(&step);
    if (edge != nullptr && !edge->starts) ++segments;
  }
  return parts;
}

/// What the next launch into a capturing stream will wait for.
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

Player::Player(const Stage& stage, const Sequence& sequence) : GraphTrack(stage, sequence.segments.size()) {
  const auto steps = inject::schedule(sequence, static_cast<int>(stage_.calls.size()));
  for (const auto& step : steps)
    if (const auto* back = std::get_if<PutBack>(&step)) copies_.add(*stage_.state, *back);
  copies_.upload();
  for (const auto& part : in_parts(steps))
    capture([&] {
      for (const auto& step : part) add(step);
    });
}

void Player::add(const ScheduleStep& step) {
  if (const auto* back = std::get_if<PutBack>(&step)) return copies_.issue(stage_, *back);
  if (const auto* play = std::get_if<PlayLaunch>(&step))
    return issue(stage_.calls[play->launch], stage_.capturing);
  const auto& edge = std::get<Edge>(step);
  add_edge(static_cast<size_t>(edge.segment), edge.starts);
}

OverlappedPlayer::OverlappedPlayer(const Stage& stage) : GraphTrack(stage, 1) {
  const PutBack all{static_cast<int>(stage_.calls.size()), 0};
  copies_.add(*stage_.state, all);
  copies_.upload();
  capture([&] {
    issue_all();
    copies_.issue(stage_, all);
  });
}

void OverlappedPlayer::issue_all() {
  add_edge(0, true);
  const std::vector<CUgraphNode> begin = waited_for(stage_.capturing);
  std::vector<std::vector<CUgraphNode>> nodes;
  std::vector<bool> last(stage_.calls.size(), true);
  for (const Call& call : stage_.calls) {
    std::vector<CUgraphNode> before;
    for (const uint32_t launch : call.after) {
      before.insert(before.end(), nodes[launch].begin(), nodes[launch].end());
      last[launch] = false;
    }
    wait_for(stage_.capturing, before.empty() ? begin : before);
    issue(call, stage_.capturing);
    nodes.push_back(waited_for(stage_.capturing));
  }
  std::vector<CUgraphNode> leaves;
  for (size_t launch = 0; launch < nodes.size(); ++launch)
    if (last[launch]) leaves.insert(leaves.end(), nodes[launch].begin(), nodes[launch].end());
  wait_for(stage_.capturing, leaves);
  add_edge(0, false);
}

}  // namespace kjoule::driver
