#include "stamped_track.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "check.hpp"

namespace kjoule::driver {

StampedTrack::StampedTrack(const Stage& stage, size_t stamps)
    : stage_(stage), slots_(stamps * sizeof(uint64_t)), stamps_ns_(stamps), clock_(stage.clocks) {}

void StampedTrack::capture(const std::function<void()>& issue_work, const std::function<void()>& issue_end) {
  graph_.emplace(stage_.capturing, [&] {
    clock_.begin(stage_.capturing);
    issue_work();
    clock_.end(stage_.capturing);
    issue_end();
  });
}

void StampedTrack::issue_stamp() {
  stage_.stamps.issue(slots_.address() + issued_ * sizeof(uint64_t), stage_.capturing);
  ++issued_;
}

void StampedTrack::play_once(Played& played) {
  stage_.gate.close(stage_.playing);
  const CUresult launched = graph_->launch(stage_.playing);
  stage_.gate.open();
  check(launched, "cuGraphLaunch");
  finish_repeat();
  KJOULE_CU(cuStreamSynchronize(stage_.playing));
  stamps_ns_ = read_back<uint64_t>(slots_, stamps_ns_.size());
  for (size_t i = 0; i + 1 < stamps_ns_.size(); ++i)
    played.seconds.push_back(static_cast<double>(stamps_ns_[i + 1] - stamps_ns_[i]) * 1e-9);
  if (const auto hz = clock_.mean_hz()) played.clock_hz.push_back(*hz);
}

Played StampedTrack::wait() {
  if (asked_.empty()) throw Error("waited for work that was not enqueued", "this is a fault in kjoule");
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
