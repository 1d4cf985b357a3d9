#include "stamped_player.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "check.hpp"

namespace kjoule::driver {

StampedPlayer::StampedPlayer(const Stage& stage, const Stamped& work)
    : stage_(stage),
      slots_(work.after.size() * sizeof(uint64_t)),
      stamps_ns_(work.after.size()),
      clock_(stage.clocks) {
  const inject::PutBack all{static_cast<int>(stage_.calls.size()), 0};
  copies_.add(*stage_.state, all);
  copies_.upload();
  graph_ = std::make_unique<CapturedGraph>(stage_.capturing, [&] {
    issue_all(work);
    copies_.issue(stage_, all);
  });
}

void StampedPlayer::issue_all(const Stamped& work) const {
  clock_.begin(stage_.capturing);
  size_t stamp = 0;
  for (size_t place = 0; place < work.launches.size(); ++place) {
    issue(stage_.calls[work.launches[place]], stage_.capturing);
    if (stamp == work.after.size() || work.after[stamp] != place) continue;
    stage_.stamps.issue(slots_.address() + stamp * sizeof(uint64_t), stage_.capturing);
    ++stamp;
  }
  clock_.end(stage_.capturing);
}

void StampedPlayer::play_once(Played& played) {
  stage_.gate.close(kPlaying);
  const CUresult launched = graph_->launch();
  stage_.gate.open();
  check(launched, "cuGraphLaunch");
  KJOULE_CU(cuStreamSynchronize(kPlaying));
  KJOULE_CU(cuMemcpyDtoH(stamps_ns_.data(), slots_.address(), stamps_ns_.size() * sizeof(uint64_t)));
  for (size_t i = 0; i + 1 < stamps_ns_.size(); ++i)
    played.seconds.push_back(static_cast<double>(stamps_ns_[i + 1] - stamps_ns_[i]) * 1e-9);
  if (const auto hz = clock_.mean_hz()) played.clock_hz.push_back(*hz);
}

Played StampedPlayer::wait() {
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
