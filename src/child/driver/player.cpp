#include "player.hpp"

#include "base/clock.hpp"
#include "check.hpp"
#include "child/inject/schedule.hpp"

namespace kjoule::driver {

namespace {

using inject::Edge;
using inject::PlayLaunch;
using inject::PutBack;

/// A driver's queue has room for about a thousand pieces of graphs, and every edge begins one. A graph of
/// more could not be handed over as long as the gate is closed.
constexpr int kMostSegments = 100;

/// The steps cut before put-backs, where nothing is timed.
std::vector<std::vector<inject::ScheduleStep>> in_parts(const std::vector<inject::ScheduleStep>& steps) {
  std::vector<std::vector<inject::ScheduleStep>> parts(1);
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

CUevent make_event() {
  CUevent event = nullptr;
  KJOULE_CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
  return event;
}

}  // namespace

void PlacedCopies::add(const State& state, const PutBack& step) {
  const auto key = std::make_pair(step.from, step.to);
  if (places_.contains(key)) return;
  const PageCopies copies = state.back(step.from, step.to);
  places_[key] = {words_.size(), static_cast<unsigned>(copies.to.size())};
  const std::vector<uint64_t> its = copies.words();
  words_.insert(words_.end(), its.begin(), its.end());
}

void PlacedCopies::upload() {
  const size_t bytes = words_.size() * sizeof(uint64_t);
  buffer_ = Buffer(bytes);
  if (bytes > 0) KJOULE_CU(cuMemcpyHtoD(buffer_.address(), words_.data(), bytes));
}

void PlacedCopies::issue(const Stage& stage, const PutBack& step) const {
  const Place place = places_.at({step.from, step.to});
  stage.pages.copy(buffer_.address() + place.first * sizeof(uint64_t), place.pages, stage.stream);
}

Player::Player(const Stage& stage, const Sequence& sequence) : stage_(stage), clock_(stage.clocks) {
  for (size_t s = 0; s < sequence.segments.size(); ++s) {
    begin_.push_back(make_event());
    end_.push_back(make_event());
  }
  make_graphs(sequence);
}

Player::~Player() {
  for (CUgraphExec graph : graphs_)
    if (graph != nullptr) cuGraphExecDestroy(graph);
  for (const auto* events : {&begin_, &end_})
    for (CUevent event : *events) cuEventDestroy(event);
}

void Player::make_graphs(const Sequence& sequence) {
  const auto steps = inject::schedule(sequence, static_cast<int>(stage_.calls.size()));
  for (const auto& step : steps)
    if (const auto* back = std::get_if<PutBack>(&step)) copies_.add(stage_.state, *back);
  copies_.upload();
  for (const auto& part : in_parts(steps)) {
    graphs_.push_back(nullptr);
    capture(part, graphs_.back());
  }
}

void Player::capture(const std::vector<inject::ScheduleStep>& steps, CUgraphExec& executable) {
  KJOULE_CU(cuStreamBeginCapture(stage_.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUgraph graph = nullptr;
  try {
    for (const auto& step : steps) add(step);
  } catch (...) {
    cuStreamEndCapture(stage_.stream, &graph);
    throw;
  }
  KJOULE_CU(cuStreamEndCapture(stage_.stream, &graph));
  const CUresult result = cuGraphInstantiate(&executable, graph, 0);
  cuGraphDestroy(graph);
  check(result, "cuGraphInstantiate");
  KJOULE_CU(cuGraphUpload(executable, stage_.stream));
}

void Player::add(const inject::ScheduleStep& step) {
  if (const auto* back = std::get_if<PutBack>(&step)) return copies_.issue(stage_, *back);
  if (const auto* play = std::get_if<PlayLaunch>(&step))
    return issue(stage_.calls[play->launch], stage_.stream);
  add_edge(std::get<Edge>(step));
}

void Player::add_edge(const Edge& edge) {
  const auto segment = static_cast<size_t>(edge.segment);
  if (edge.starts && segment == 0) clock_.begin(stage_.stream);
  CUevent event = (edge.starts ? begin_ : end_)[segment];
  KJOULE_CU(cuEventRecordWithFlags(event, stage_.stream, CU_EVENT_RECORD_EXTERNAL));
  if (!edge.starts && segment + 1 == end_.size()) clock_.end(stage_.stream);
}

void Player::play_once(Played& played) {
  for (CUgraphExec graph : graphs_) {
    stage_.gate.close(stage_.stream);
    const CUresult launched = cuGraphLaunch(graph, stage_.stream);
    stage_.gate.open();
    check(launched, "cuGraphLaunch");
  }
  KJOULE_CU(cuStreamSynchronize(stage_.stream));
  for (size_t s = 0; s < begin_.size(); ++s) {
    float milliseconds = 0;
    KJOULE_CU(cuEventElapsedTime(&milliseconds, begin_[s], end_[s]));
    played.seconds.push_back(static_cast<double>(milliseconds) * 1e-3);
  }
  if (const auto hz = clock_.mean_hz()) played.clock_hz.push_back(*hz);
}

Played Player::wait() {
  const int repeats = asked_.front();
  asked_.pop_front();
  const SteadyClock clock;
  Played played;
  played.begin_ns = clock.now_ns();
  for (int i = 0; i < repeats; ++i) play_once(played);
  played.end_ns = clock.now_ns();
  return played;
}

}  // namespace kjoule::driver
