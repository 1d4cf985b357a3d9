#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/host_memory.hpp"
#include "cuda/stage.hpp"

namespace kjoule::driver {

/// Work with stamps, as one CUDA graph that waits at the gate until the device has received all of it. The
/// multiprocessor clocks are read before and after the work. The first repeat is submitted by enqueue(), so
/// that it can follow other work without a pause.
class StampedTrack : public Track {
 public:
  ~StampedTrack() override;
  void enqueue(int repeats) override;
  Played wait() override;

 protected:
  StampedTrack(const Stage& stage, size_t stamps);
  /// Captures the graph: a read of the clocks, the work that `issue_work` issues on the stage's capturing
  /// stream, another read of the clocks, and the work that `issue_end` issues.
  void capture(const std::function<void()>& issue_work, const std::function<void()>& issue_end);
  /// Issues the next stamp. It may only be called within capture().
  void issue_stamp();

  Stage stage_;

 private:
  /// Issues what each repeat needs after its graph.
  virtual void finish_repeat() {}
  void hand_over();
  void collect(Played& played);

  Buffer slots_;
  HostMemory stamps_ns_;  ///< the stamps' values, copied from slots_ at the end of the graph
  size_t stamps_;
  CUevent done_ = nullptr;
  size_t issued_ = 0;  ///< number of stamps issued
  ClockSpan clock_;
  std::optional<CapturedGraph> graph_;
  std::deque<int> asked_;
  bool handed_over_ = false;    ///< whether the next repeat of the oldest enqueue has been submitted
  int64_t handed_over_ns_ = 0;  ///< steady-clock time of the last submission
};

}  // namespace kjoule::driver
