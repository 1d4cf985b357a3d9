#pragma once
#include <deque>
#include <memory>

#include "cuda/driver/captured_graph.hpp"
#include "cuda/replay/marked_outputs.hpp"

namespace kjoule::cuda {

/// The track for SteadyWork: one graph without stamps or gates. The graph is submitted again while its
/// previous repeat still runs, so that the device is never idle. Memory is restored after the plain
/// iterations, and after the iteration with marked launches. At most kMostPending enqueues may be in
/// progress.
class SteadyTrack final : public Track {
 public:
  static constexpr size_t kMostPending = 4;

  /// `context` must have write sets if `work` has marked launches, and a CacheFlush if `work` flushes the
  /// caches.
  SteadyTrack(const ReplayContext& context, const SteadyWork& work);
  ~SteadyTrack() override;
  void enqueue(int repeats) override;
  void pause(double seconds) override;
  TrackTiming wait() override;

 private:
  void issue_iteration(const std::vector<LaunchIndex>& marked, bool left_out) const;
  /// Issues the copies of a marked launch's outputs. For a collective, all ranks must do this at the same
  /// place: they meet before and after the copies, because a peer writes into the same pages.
  void issue_outputs_of(LaunchIndex launch) const;

  /// One enqueue in progress, between two events.
  struct PendingEnqueue {
    explicit PendingEnqueue(const ClockKernel& clocks);
    ~PendingEnqueue();
    CUevent begin = nullptr, end = nullptr;
    ClockSpan clock;
  };

  ReplayContext context_;
  MarkedOutputs copies_;
  LaunchIndex end_;    ///< number of launches of an iteration
  size_t iterations_;  ///< iterations in a repeat
  Buffer pause_ns_;
  std::unique_ptr<CapturedGraph> graph_;
  std::deque<std::unique_ptr<PendingEnqueue>> idle_, pending_;
};

}  // namespace kjoule::cuda
