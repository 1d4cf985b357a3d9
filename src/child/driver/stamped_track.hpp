#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "captured_graph.hpp"
#include "stage.hpp"

namespace kjoule::driver {

/// Work between stamps, as one CUDA graph that waits at the gate until the device has all of it. The
/// processors' clocks are read before the work and after it.
class StampedTrack : public Track {
 public:
  void enqueue(int repeats) override { asked_.push_back(repeats); }
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
  void play_once(Played& played);

  Buffer slots_;
  std::vector<uint64_t> stamps_ns_;
  size_t issued_ = 0;  ///< stamps
  ClockSpan clock_;
  std::optional<CapturedGraph> graph_;
  std::deque<int> asked_;
};

}  // namespace kjoule::driver
