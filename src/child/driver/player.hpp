#pragma once
#include <cuda.h>

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "child/inject/schedule.hpp"
#include "clocks.hpp"
#include "gate.hpp"
#include "play/device.hpp"
#include "state.hpp"

namespace kjoule::driver {

/// The recorded iteration and all that is needed to play it; outlives the Players.
struct Stage {
  const std::vector<Call>& calls;
  const State& state;
  const PageKernels& pages;
  const ClockKernel& clocks;
  Gate& gate;
  CUstream stream;
};

/// All page copies of a track, in one piece of device memory once they are uploaded.
class PlacedCopies {
 public:
  void add(const State& state, const inject::PutBack& step);
  void upload();
  void issue(const Stage& stage, const inject::PutBack& step) const;

 private:
  struct Place {
    size_t first;  ///< of its words
    unsigned pages;
  };
  std::map<std::pair<int, int>, Place> places_;
  std::vector<uint64_t> words_;
  Buffer buffer_;
};

/// A Sequence as CUDA graphs: launches in place, put-backs as page copies, the edges of segments as event
/// records; before the first edge and after the last the processors' clocks are read.
class Player final : public Track {
 public:
  Player(const Stage& stage, const Sequence& sequence);
  ~Player() override;
  void enqueue(int repeats) override { asked_.push_back(repeats); }
  Played wait() override;

 private:
  void make_graphs(const Sequence& sequence);
  void capture(const std::vector<inject::ScheduleStep>& steps, CUgraphExec& executable);
  void add(const inject::ScheduleStep& step);
  void add_edge(const inject::Edge& edge);
  void play_once(Played& played);

  Stage stage_;
  PlacedCopies copies_;
  ClockSpan clock_;
  std::vector<CUgraphExec> graphs_;  ///< played one after another
  std::vector<CUevent> begin_;       ///< by segment
  std::vector<CUevent> end_;
  std::deque<int> asked_;
};

}  // namespace kjoule::driver
