#include "cuda/stamped_track.hpp"

#include <span>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cuda/check.hpp"

namespace kjoule::driver {

StampedTrack::StampedTrack(const Stage& stage, size_t stamps)
    : stage_(stage),
      slots_(stamps * sizeof(uint64_t)),
      stamps_ns_(stamps * sizeof(uint64_t)),
      stamps_(stamps),
      clock_(stage.clocks) {
  KJOULE_CU(cuEventCreate(&done_, CU_EVENT_DISABLE_TIMING));
}

StampedTrack::~StampedTrack() {
  cuStreamSynchronize(stage_.playing);
  cuEventDestroy(done_);
}

void StampedTrack::capture(const std::function<void()>& issue_work, const std::function<void()>& issue_end) {
  graph_.emplace(stage_.capturing, [&] {
    clock_.begin(stage_.capturing);
    issue_work();
    clock_.end(stage_.capturing);
    KJOULE_CU(
        cuMemcpyDtoHAsync(stamps_ns_.get(), slots_.address(), stamps_ * sizeof(uint64_t), stage_.capturing));
    issue_end();
  });
}

void StampedTrack::issue_stamp() {
  stage_.stamps.issue(slots_.address() + issued_ * sizeof(uint64_t), stage_.capturing);
  ++issued_;
}

void StampedTrack::hand_over() {
  handed_over_ns_ = SteadyClock().now_ns();
  stage_.gate.close(stage_.playing);
  const CUresult launched = graph_->launch(stage_.playing);
  stage_.gate.open();
  check(launched, "cuGraphLaunch");
  finish_repeat();
  KJOULE_CU(cuEventRecord(done_, stage_.playing));
  handed_over_ = true;
}

void StampedTrack::collect(Played& played) {
  KJOULE_CU(cuEventSynchronize(done_));
  handed_over_ = false;
  const std::span ns(static_cast<const uint64_t*>(stamps_ns_.get()), stamps_);
  for (size_t i = 0; i + 1 < ns.size(); ++i)
    played.seconds.push_back(static_cast<double>(ns[i + 1] - ns[i]) * 1e-9);
  if (const auto hz = clock_.mean_hz()) played.clock_hz.push_back(*hz);
}

void StampedTrack::enqueue(int repeats) {
  asked_.push_back(repeats);
  if (asked_.size() == 1 && repeats > 0) hand_over();
}

Played StampedTrack::wait() {
  if (asked_.empty()) throw Error("waited for work that was not enqueued", "this is a fault in kjoule");
  const int repeats = asked_.front();
  asked_.pop_front();
  Played played;
  played.begin_ns = SteadyClock().now_ns();
  for (int i = 0; i < repeats; ++i) {
    if (!handed_over_) hand_over();
    if (i == 0) played.begin_ns = handed_over_ns_;
    collect(played);
  }
  played.end_ns = SteadyClock().now_ns();
  if (!asked_.empty() && asked_.front() > 0) hand_over();
  return played;
}

}  // namespace kjoule::driver
