#include "cuda/replay/steady_track.hpp"

#include <algorithm>
#include <set>

#include "base/bug_remedy.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

SteadyTrack::PendingEnqueue::PendingEnqueue(const ClockKernel& clocks) : clock(clocks) {
  KJOULE_CU(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  KJOULE_CU(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
}

SteadyTrack::PendingEnqueue::~PendingEnqueue() {
  for (CUevent event : {begin, end})
    if (event != nullptr) cuEventDestroy(event);
}

SteadyTrack::SteadyTrack(const ReplayContext& context, const SteadyWork& work)
    : context_(context),
      end_(work.end.value_or(static_cast<LaunchIndex>(context.calls.size()))),
      iterations_(static_cast<size_t>(work.plain) + (work.marked.empty() ? 0 : 1)),
      pause_ns_(work.may_pause ? sizeof(unsigned) : 0) {
  if (work.plain > 1 && work.only.empty() && !context_.is_closed)
    throw Error("a window that is no iteration cannot be repeated without restoring memory", kBugRemedy);
  if (work.may_pause) pause(0);
  if (work.only.empty()) copies_ = MarkedOutputs(context_, work.marked);
  const auto is_met = [&](LaunchIndex launch) { return is_collective(context_.calls[launch]); };
  if (std::ranges::any_of(work.marked, is_met)) context_.peers.prepare_links();
  graph_ = std::make_unique<CapturedGraph>(context_.capture_stream, [&] {
    const auto pause = [&] {
      if (work.may_pause) context_.gate.pause(pause_ns_.address(), context_.capture_stream);
    };
    if (!work.only.empty()) {
      for (int i = 0; i < work.plain; ++i) {
        pause();
        for (const LaunchIndex launch : work.only) issue(context_.calls[launch], context_.capture_stream);
      }
      return;
    }
    for (int i = 0; i < work.plain; ++i) {
      pause();
      if (work.flushed) context_.flush->issue(context_.capture_stream);
      issue_iteration({}, false);
    }
    if (work.plain == 0) pause();
    if (work.plain > 0 || work.marked.empty()) context_.memory->issue_restore(context_.capture_stream);
    if (work.marked.empty()) return;
    if (work.plain > 0) pause();
    if (work.flushed) context_.flush->issue(context_.capture_stream);
    issue_iteration(work.marked, work.left_out);
    context_.memory->issue_restore(context_.capture_stream);
  });
  // Allocated in advance, because allocating or freeing memory later would stop the device.
  for (size_t i = 0; i < kMostPending; ++i)
    idle_.push_back(std::make_unique<PendingEnqueue>(context_.clocks));
}

void SteadyTrack::issue_iteration(const std::vector<LaunchIndex>& marked, bool left_out) const {
  const std::set<LaunchIndex> set(marked.begin(), marked.end());
  for (LaunchIndex launch = 0; launch < end_; ++launch) {
    const bool is_marked = set.contains(launch);
    if (!is_marked || !left_out) issue(context_.calls[launch], context_.capture_stream);
    if (is_marked) issue_outputs_of(launch);
  }
}

void SteadyTrack::issue_outputs_of(LaunchIndex launch) const {
  const bool is_met = is_collective(context_.calls[launch]);
  if (is_met) context_.peers.meet_in(context_.capture_stream);  // until no peer writes into its outputs
  copies_.issue_outputs_of(context_, launch);
  if (!is_met) return;
  context_.peers.use_links_in(context_.capture_stream);  // as the collective does, where it is left out
  context_.peers.meet_in(context_.capture_stream);       // before a peer sends its next message
}

SteadyTrack::~SteadyTrack() {
  cuStreamSynchronize(context_.replay_stream);
}

void SteadyTrack::enqueue(int repeats) {
  if (idle_.empty()) throw Error("too much work is under way at once", kBugRemedy);
  std::unique_ptr<PendingEnqueue> pending = std::move(idle_.front());
  idle_.pop_front();
  pending->clock.begin(context_.replay_stream);
  KJOULE_CU(cuEventRecord(pending->begin, context_.replay_stream));
  for (int i = 0; i < repeats; ++i) {
    check(graph_->launch(context_.replay_stream), "cuGraphLaunch");
    if (context_.memory != nullptr) context_.memory->restore_after(iterations_, context_.replay_stream);
  }
  pending->clock.end(context_.replay_stream);
  KJOULE_CU(cuEventRecord(pending->end, context_.replay_stream));
  pending_.push_back(std::move(pending));
}

void SteadyTrack::pause(double seconds) {
  if (pause_ns_.address() == 0) return Track::pause(seconds);
  const auto ns = static_cast<unsigned>(seconds * 1e9);
  // The change takes effect after the work in progress.
  KJOULE_CU(cuMemsetD32Async(pause_ns_.address(), ns, 1, context_.replay_stream));
}

TrackTiming SteadyTrack::wait() {
  if (pending_.empty()) throw Error("kjoule waited for a replay that it had not started", kBugRemedy);
  std::unique_ptr<PendingEnqueue> pending = std::move(pending_.front());
  pending_.pop_front();
  KJOULE_CU(cuEventSynchronize(pending->end));
  TrackTiming replayed;
  replayed.end_ns = SteadyClock().now_ns();
  float milliseconds = 0;
  KJOULE_CU(cuEventElapsedTime(&milliseconds, pending->begin, pending->end));
  replayed.seconds = {static_cast<double>(milliseconds) * 1e-3};
  replayed.begin_ns = replayed.end_ns - static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  if (const auto hz = pending->clock.mean_hz()) replayed.clock_hz = {*hz};
  idle_.push_back(std::move(pending));
  return replayed;
}

}  // namespace kjoule::cuda
