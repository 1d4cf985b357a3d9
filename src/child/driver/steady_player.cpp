#include "steady_player.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "check.hpp"

namespace kjoule::driver {

SteadyPlayer::Flight::Flight(const ClockKernel& clocks) : clock(clocks) {
  KJOULE_CU(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  KJOULE_CU(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
}

SteadyPlayer::Flight::~Flight() {
  for (CUevent event : {begin, end})
    if (event != nullptr) cuEventDestroy(event);
}

SteadyPlayer::SteadyPlayer(const Stage& stage, const Sequence& sequence) : stage_(stage) {
  const auto steps = inject::schedule(sequence, static_cast<int>(stage_.calls.size()));
  for (const auto& step : steps)
    if (const auto* back = std::get_if<inject::PutBack>(&step)) copies_.add(stage_.state, *back);
  copies_.upload();
  graph_ = std::make_unique<CapturedGraph>(stage_.stream, [&] {
    for (const auto& step : steps) {
      if (const auto* back = std::get_if<inject::PutBack>(&step)) copies_.issue(stage_, *back);
      if (const auto* play = std::get_if<inject::PlayLaunch>(&step))
        issue(stage_.calls[play->launch], stage_.stream);
    }
  });
  // made now: making and freeing memory later would stop the device
  for (size_t i = 0; i < kInFlight; ++i) idle_.push_back(std::make_unique<Flight>(stage_.clocks));
}

SteadyPlayer::~SteadyPlayer() {
  cuStreamSynchronize(stage_.stream);
}

void SteadyPlayer::enqueue(int repeats) {
  if (idle_.empty()) throw Error("too much work is under way at once", "this is a fault in kjoule");
  std::unique_ptr<Flight> flight = std::move(idle_.front());
  idle_.pop_front();
  flight->clock.begin(stage_.stream);
  KJOULE_CU(cuEventRecord(flight->begin, stage_.stream));
  for (int i = 0; i < repeats; ++i) check(graph_->launch(stage_.stream), "cuGraphLaunch");
  flight->clock.end(stage_.stream);
  KJOULE_CU(cuEventRecord(flight->end, stage_.stream));
  under_way_.push_back(std::move(flight));
}

Played SteadyPlayer::wait() {
  if (under_way_.empty()) throw Error("waited for work that was not enqueued", "this is a fault in kjoule");
  std::unique_ptr<Flight> flight = std::move(under_way_.front());
  under_way_.pop_front();
  KJOULE_CU(cuEventSynchronize(flight->end));
  Played played;
  played.end_ns = SteadyClock().now_ns();
  float milliseconds = 0;
  KJOULE_CU(cuEventElapsedTime(&milliseconds, flight->begin, flight->end));
  played.seconds = {static_cast<double>(milliseconds) * 1e-3};
  played.begin_ns = played.end_ns - static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  if (const auto hz = flight->clock.mean_hz()) played.clock_hz = {*hz};
  idle_.push_back(std::move(flight));
  return played;
}

}  // namespace kjoule::driver
