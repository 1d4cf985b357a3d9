#include "cuda/steady_player.hpp"

#include <set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cuda/check.hpp"

namespace kjoule::driver {

namespace {

size_t l2_bytes() {
  CUdevice device = 0;
  int bytes = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  KJOULE_CU(cuDeviceGetAttribute(&bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
  return static_cast<size_t>(bytes);
}

}  // namespace

SteadyPlayer::Flight::Flight(const ClockKernel& clocks) : clock(clocks) {
  KJOULE_CU(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  KJOULE_CU(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
}

SteadyPlayer::Flight::~Flight() {
  for (CUevent event : {begin, end})
    if (event != nullptr) cuEventDestroy(event);
}

SteadyPlayer::SteadyPlayer(const Stage& stage, const Steady& work)
    : stage_(stage),
      other_bytes_(2 * (work.flushed ? l2_bytes() : 0)),
      pause_ns_(work.may_pause ? sizeof(unsigned) : 0) {
  if (work.may_pause) pause(0);
  if (work.only.empty()) copies_ = PlacedCopies(stage_, work.marked);
  const size_t cache = work.flushed ? l2_bytes() : 0;
  graph_ = std::make_unique<CapturedGraph>(stage_.capturing, [&] {
    if (!work.only.empty()) {
      for (int i = 0; i < work.plain; ++i)
        for (const LaunchIndex launch : work.only) issue(stage_.calls[launch], stage_.capturing);
      return;
    }
    const auto pause = [&] {
      if (work.may_pause) stage_.gate.pause(pause_ns_.address(), stage_.capturing);
    };
    for (int i = 0; i < work.plain; ++i) {
      pause();
      issue_iteration({}, false);
    }
    if (work.plain == 0) pause();
    if (work.plain > 0 || work.marked.empty()) stage_.state->issue_restore(stage_.capturing);
    if (work.marked.empty()) return;
    if (work.plain > 0) pause();
    stage_.pages.copy_run(other_bytes_.address(), other_bytes_.address() + cache, cache, stage_.capturing);
    issue_iteration(work.marked, work.left_out);
    stage_.state->issue_restore(stage_.capturing);
  });
  // They are allocated now, because allocating or freeing memory later would stop the device.
  for (size_t i = 0; i < kInFlight; ++i) idle_.push_back(std::make_unique<Flight>(stage_.clocks));
}

void SteadyPlayer::issue_iteration(const std::vector<LaunchIndex>& marked, bool left_out) const {
  const std::set<LaunchIndex> set(marked.begin(), marked.end());
  for (LaunchIndex launch = 0; launch < stage_.calls.size(); ++launch) {
    const bool is_marked = set.contains(launch);
    if (!is_marked || !left_out) issue(stage_.calls[launch], stage_.capturing);
    if (is_marked) copies_.issue_left_by(stage_, launch);
  }
}

SteadyPlayer::~SteadyPlayer() {
  cuStreamSynchronize(stage_.playing);
}

void SteadyPlayer::enqueue(int repeats) {
  if (idle_.empty()) throw Error("too much work is under way at once", "this is a fault in kjoule");
  std::unique_ptr<Flight> flight = std::move(idle_.front());
  idle_.pop_front();
  flight->clock.begin(stage_.playing);
  KJOULE_CU(cuEventRecord(flight->begin, stage_.playing));
  for (int i = 0; i < repeats; ++i) check(graph_->launch(stage_.playing), "cuGraphLaunch");
  flight->clock.end(stage_.playing);
  KJOULE_CU(cuEventRecord(flight->end, stage_.playing));
  under_way_.push_back(std::move(flight));
}

void SteadyPlayer::pause(double seconds) {
  if (pause_ns_.address() == 0) return Track::pause(seconds);
  const auto ns = static_cast<unsigned>(seconds * 1e9);
  // The change takes effect after the work in progress.
  KJOULE_CU(cuMemsetD32Async(pause_ns_.address(), ns, 1, stage_.playing));
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
