#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/host_memory.hpp"
#include "cuda/stage.hpp"

namespace kjoule::driver {

/// Work between stamps, as one CUDA graph that waits at the gate until the device has all of it. The
/// processors' clocks are read before the work and after it. The first repeat is handed over when it is
/// enqueued, so that it can follow other work without a pause.
class StampedTrack : public Track {
 public:
  ~StampedTrack() override;
  void enqueue(int repeats) override;
  Played wait() override;

 protected:
  StampedTrack(const Stage& stage, size_t stamps);
  /// Makes the graph of what `issue_work` issues on the stage's capturing stream, and after the clocks have
  /// been read again `issue_end`.
  void capture(const std::function<void()>& issue_work, const std::function<void()>& issue_end);
  /// Issues the next stamp. Within capture().
  void issue_stamp();

  Stage stage_;

 private:
  /// Issues what a repeat needs after its graph.
  virtual void finish_repeat() {}
  void hand_over();
  void collect(Played& played);

  Buffer slots_;
  HostMemory stamps_ns_;  ///< what the graph copies out of slots_ at its end
  size_t stamps_;
  CUevent done_ = nullptr;
  size_t issued_ = 0;  ///< stamps
  ClockSpan clock_;
  std::optional<CapturedGraph> graph_;
  std::deque<int> asked_;
  bool handed_over_ = false;    ///< the next repeat of the oldest enqueue
  int64_t handed_over_ns_ = 0;  ///< steady time when a repeat was handed over last
};

}  // namespace kjoule::driver
