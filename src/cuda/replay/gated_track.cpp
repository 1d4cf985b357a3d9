#include "cuda/replay/gated_track.hpp"

#include "base/bug_remedy.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

GatedTrack::GatedTrack(const ReplayContext& context, size_t stamps)
    : context_(context),
      slots_(stamps * sizeof(uint64_t)),
      stamps_ns_(stamps * sizeof(uint64_t)),
      stamps_(stamps),
      clock_(context.clocks) {
  KJOULE_CU(cuEventCreate(&done_, CU_EVENT_DISABLE_TIMING));
}

GatedTrack::~GatedTrack() {
  cuStreamSynchronize(context_.replay_stream);
  cuEventDestroy(done_);
}

void GatedTrack::capture(const std::function<void()>& issue_work, const std::function<void()>& issue_end) {
  graph_.emplace(context_.capture_stream, [&] {
    context_.peers.meet_in(context_.capture_stream);  // the gates of the ranks open at different times
    clock_.begin(context_.capture_stream);
    issue_work();
    clock_.end(context_.capture_stream);
    KJOULE_CU(cuMemcpyDtoHAsync(stamps_ns_.get(), slots_.address(), stamps_ * sizeof(uint64_t),
                                context_.capture_stream));
    issue_end();
  });
}

void GatedTrack::issue_stamp() {
  context_.stamps.issue(slots_.address() + issued_ * sizeof(uint64_t), context_.capture_stream);
  ++issued_;
}

void GatedTrack::submit_repeat() {
  submitted_ns_ = SteadyClock().now_ns();
  context_.gate.close(context_.replay_stream);
  const CUresult launched = graph_->launch(context_.replay_stream);
  context_.gate.open();
  check(launched, "cuGraphLaunch");
  finish_repeat();
  KJOULE_CU(cuEventRecord(done_, context_.replay_stream));
  submitted_ = true;
}

void GatedTrack::collect(TrackTiming& replayed) {
  KJOULE_CU(cuEventSynchronize(done_));
  submitted_ = false;
  const std::span<const uint64_t> ns = stamps_ns();
  for (size_t i = 0; i + 1 < ns.size(); ++i)
    replayed.seconds.push_back(static_cast<double>(ns[i + 1] - ns[i]) * 1e-9);
  if (const auto hz = clock_.mean_hz()) replayed.clock_hz.push_back(*hz);
}

void GatedTrack::enqueue(int repeats) {
  pending_repeats_.push_back(repeats);
  if (pending_repeats_.size() == 1 && repeats > 0) submit_repeat();
}

TrackTiming GatedTrack::wait() {
  if (pending_repeats_.empty()) throw Error("kjoule waited for a replay that it had not started", kBugRemedy);
  const int repeats = pending_repeats_.front();
  pending_repeats_.pop_front();
  TrackTiming replayed;
  replayed.begin_ns = SteadyClock().now_ns();
  for (int i = 0; i < repeats; ++i) {
    if (!submitted_) submit_repeat();
    if (i == 0) replayed.begin_ns = submitted_ns_;
    collect(replayed);
  }
  replayed.end_ns = SteadyClock().now_ns();
  if (!pending_repeats_.empty() && pending_repeats_.front() > 0) submit_repeat();
  return replayed;
}

}  // namespace kjoule::cuda
