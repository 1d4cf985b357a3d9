#pragma once
#include <deque>
#include <memory>

#include "graph_track.hpp"

namespace kjoule::driver {

/// Stamped work as one CUDA graph: the launches in one unbroken chain with stamps between some of them, and
/// after the last one the copies that restore memory. The graph waits at the gate until the device has all of
/// it.
class StampedPlayer final : public Track {
 public:
  StampedPlayer(const Stage& stage, const Stamped& work);
  void enqueue(int repeats) override { asked_.push_back(repeats); }
  Played wait() override;

 private:
  void issue_all(const Stamped& work) const;
  void play_once(Played& played);

  Stage stage_;
  PlacedCopies copies_;
  Buffer slots_;
  std::vector<uint64_t> stamps_ns_;
  ClockSpan clock_;
  std::unique_ptr<CapturedGraph> graph_;
  std::deque<int> asked_;
};

}  // namespace kjoule::driver
