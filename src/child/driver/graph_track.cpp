#include "graph_track.hpp"

#include "base/clock.hpp"
#include "check.hpp"

namespace kjoule::driver {

namespace {

CUevent make_event() {
  CUevent event = nullptr;
  KJOULE_CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
  return event;
}

}  // namespace

PlacedCopies::Place PlacedCopies::append(const PageCopies& copies) {
  const Place place{words_.size(), static_cast<unsigned>(copies.to.size())};
  const std::vector<uint64_t> its = copies.words();
  words_.insert(words_.end(), its.begin(), its.end());
  return place;
}

void PlacedCopies::add(const State& state, const inject::PutBack& step) {
  const auto key = std::make_pair(step.from, step.to);
  if (!places_.contains(key)) places_[key] = append(state.back(step.from, step.to));
}

void PlacedCopies::add(const State& state, LaunchIndex launch) {
  if (!left_.contains(launch)) left_[launch] = append(state.left_by(launch));
}

void PlacedCopies::upload() {
  const size_t bytes = words_.size() * sizeof(uint64_t);
  buffer_ = Buffer(bytes);
  if (bytes > 0) KJOULE_CU(cuMemcpyHtoD(buffer_.address(), words_.data(), bytes));
}

void PlacedCopies::issue(const Stage& stage, const Place& place) const {
  stage.pages.copy(buffer_.address() + place.first * sizeof(uint64_t), place.pages, stage.capturing);
}

void PlacedCopies::issue(const Stage& stage, const inject::PutBack& step) const {
  issue(stage, places_.at({step.from, step.to}));
}

void PlacedCopies::issue(const Stage& stage, LaunchIndex launch) const {
  issue(stage, left_.at(launch));
}

GraphTrack::GraphTrack(const Stage& stage, size_t segments) : stage_(stage), clock_(stage.clocks) {
  for (size_t s = 0; s < segments; ++s) {
    begin_.push_back(make_event());
    end_.push_back(make_event());
  }
}

GraphTrack::~GraphTrack() {
  for (const auto* events : {&begin_, &end_})
    for (CUevent event : *events) cuEventDestroy(event);
}

void GraphTrack::add_edge(size_t segment, bool starts) {
  if (starts && segment == 0) clock_.begin(stage_.capturing);
  CUevent event = (starts ? begin_ : end_)[segment];
  KJOULE_CU(cuEventRecordWithFlags(event, stage_.capturing, CU_EVENT_RECORD_EXTERNAL));
  if (!starts && segment + 1 == end_.size()) clock_.end(stage_.capturing);
}

void GraphTrack::play_once(Played& played) {
  for (const CapturedGraph& graph : graphs_) {
    stage_.gate.close(kPlaying);
    const CUresult launched = graph.launch();
    stage_.gate.open();
    check(launched, "cuGraphLaunch");
  }
  KJOULE_CU(cuStreamSynchronize(kPlaying));
  for (size_t s = 0; s < begin_.size(); ++s) {
    float milliseconds = 0;
    KJOULE_CU(cuEventElapsedTime(&milliseconds, begin_[s], end_[s]));
    played.seconds.push_back(static_cast<double>(milliseconds) * 1e-3);
  }
  if (const auto hz = clock_.mean_hz()) played.clock_hz.push_back(*hz);
}

Played GraphTrack::wait() {
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
