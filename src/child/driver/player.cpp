#include "player.hpp"

#include <map>

#include "base/clock.hpp"
#include "check.hpp"
#include "child/inject/schedule.hpp"

namespace kjoule::driver {

namespace {

using inject::Edge;
using inject::PlayLaunch;
using inject::PutBack;

/// All page copies of a track in one piece of device memory.
struct PlacedCopies {
  struct Place {
    size_t first;  ///< of its words
    unsigned pages;
  };
  std::map<std::pair<int, int>, Place> places;
  std::vector<uint64_t> words;

  void add(const State& state, const PutBack& step) {
    const auto key = std::make_pair(step.from, step.to);
    if (places.contains(key)) return;
    const PageCopies copies = state.back(step.from, step.to);
    places[key] = {words.size(), static_cast<unsigned>(copies.to.size())};
    const std::vector<uint64_t> its = copies.words();
    words.insert(words.end(), its.begin(), its.end());
  }
};

CUevent make_event() {
  CUevent event = nullptr;
  KJOULE_CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
  return event;
}

}  // namespace

Player::Player(const std::vector<Call>& calls, const State& state, const PageKernels& kernels,
               const Sequence& sequence, CUstream stream)
    : stream_(stream) {
  for (size_t s = 0; s < sequence.segments.size(); ++s) {
    begin_.push_back(make_event());
    end_.push_back(make_event());
  }
  capture(calls, state, kernels, sequence);
}

Player::~Player() {
  if (graph_ != nullptr) cuGraphExecDestroy(graph_);
  for (const auto* events : {&begin_, &end_})
    for (CUevent event : *events) cuEventDestroy(event);
}

void Player::capture(const std::vector<Call>& calls, const State& state, const PageKernels& kernels,
                     const Sequence& sequence) {
  const auto steps = inject::schedule(sequence, static_cast<int>(calls.size()));
  PlacedCopies copies;
  for (const auto& step : steps)
    if (const auto* back = std::get_if<PutBack>(&step)) copies.add(state, *back);
  addresses_ = Buffer(copies.words.size() * sizeof(uint64_t));
  if (!copies.words.empty())
    KJOULE_CU(
        cuMemcpyHtoD(addresses_.address(), copies.words.data(), copies.words.size() * sizeof(uint64_t)));

  KJOULE_CU(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUgraph graph = nullptr;
  try {
    for (const auto& step : steps) {
      if (const auto* back = std::get_if<PutBack>(&step)) {
        const auto place = copies.places.at({back->from, back->to});
        kernels.copy(addresses_.address() + place.first * sizeof(uint64_t), place.pages, stream_);
      } else if (const auto* play = std::get_if<PlayLaunch>(&step)) {
        issue(calls[play->launch], stream_);
      } else {
        const auto& edge = std::get<Edge>(step);
        CUevent event = (edge.starts ? begin_ : end_)[static_cast<size_t>(edge.segment)];
        KJOULE_CU(cuEventRecordWithFlags(event, stream_, CU_EVENT_RECORD_EXTERNAL));
      }
    }
  } catch (...) {
    cuStreamEndCapture(stream_, &graph);
    throw;
  }
  KJOULE_CU(cuStreamEndCapture(stream_, &graph));
  const CUresult result = cuGraphInstantiate(&graph_, graph, 0);
  cuGraphDestroy(graph);
  check(result, "cuGraphInstantiate");
  KJOULE_CU(cuGraphUpload(graph_, stream_));
}

void Player::play_once(std::vector<double>& seconds) {
  KJOULE_CU(cuGraphLaunch(graph_, stream_));
  KJOULE_CU(cuStreamSynchronize(stream_));
  for (size_t s = 0; s < begin_.size(); ++s) {
    float milliseconds = 0;
    KJOULE_CU(cuEventElapsedTime(&milliseconds, begin_[s], end_[s]));
    seconds.push_back(static_cast<double>(milliseconds) * 1e-3);
  }
}

Played Player::wait() {
  const int repeats = asked_.front();
  asked_.pop_front();
  const SteadyClock clock;
  Played played;
  played.begin_ns = clock.now_ns();
  for (int i = 0; i < repeats; ++i) play_once(played.seconds);
  played.end_ns = clock.now_ns();
  return played;
}

}  // namespace kjoule::driver
