#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cuda/driver/captured_graph.hpp"
#include "cuda/driver/host_memory.hpp"
#include "cuda/replay/replay_context.hpp"

namespace kjoule::cuda {

/// Work with stamps, as one CUDA graph that waits at the gate until the device has received the whole graph.
/// The multiprocessor clocks are read before and after the work. enqueue() submits the first repeat, so that
/// this repeat can follow other work without a pause.
class GatedTrack : public Track {
 public:
  ~GatedTrack() override;
  void enqueue(int repeats) override;
  TrackTiming wait() override;

 protected:
  GatedTrack(const ReplayContext& context, size_t stamps);
  /// Captures the graph: a read of the clocks, the work that `issue_work` issues on the capture
  /// stream, another read of the clocks, and the work that `issue_end` issues.
  void capture(const std::function<void()>& issue_work, const std::function<void()>& issue_end);
  /// Issues the next stamp. It may only be called within capture().
  void issue_stamp();
  /// Returns the values of the stamps of the last repeat, in ns of the device clock.
  std::span<const uint64_t> stamps_ns() const {
    return {static_cast<const uint64_t*>(stamps_ns_.get()), stamps_};
  }

  ReplayContext context_;

 private:
  /// Issues the work that each repeat needs after its graph.
  virtual void finish_repeat() {}
  void submit_repeat();
  void collect(TrackTiming& replayed);

  Buffer slots_;
  HostMemory stamps_ns_;  ///< the stamps' values, copied from slots_ at the end of the graph
  size_t stamps_;
  CUevent done_ = nullptr;
  size_t issued_ = 0;  ///< number of stamps issued
  ClockSpan clock_;
  std::optional<CapturedGraph> graph_;
  std::deque<int> pending_repeats_;
  bool submitted_ = false;    ///< whether the next repeat of the oldest enqueue has been submitted
  int64_t submitted_ns_ = 0;  ///< steady-clock time in ns of the last submission
};

}  // namespace kjoule::cuda
