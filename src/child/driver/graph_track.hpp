#pragma once
#include <cuda.h>

#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "captured_graph.hpp"
#include "child/inject/schedule.hpp"
#include "clocks.hpp"
#include "gate.hpp"
#include "play/device.hpp"
#include "stamps.hpp"
#include "state.hpp"

namespace kjoule::driver {

/// The recorded iteration and all that is needed to play it; outlives the Tracks.
struct Stage {
  const std::vector<Call>& calls;
  const State* state;  ///< null where nothing that is played puts back
  const PageKernels& pages;
  const ClockKernel& clocks;
  const StampKernel& stamps;
  Gate& gate;
  CUstream capturing;  ///< nothing runs in it
};

/// All page copies of a track, in one piece of device memory once they are uploaded.
class PlacedCopies {
 public:
  void add(const State& state, const inject::PutBack& step);
  /// Of what that launch leaves.
  void add(const State& state, LaunchIndex launch);
  void upload();
  void issue(const Stage& stage, const inject::PutBack& step) const;
  void issue(const Stage& stage, LaunchIndex launch) const;

 private:
  struct Place {
    size_t first;  ///< of its words
    unsigned pages;
  };
  Place append(const PageCopies& copies);
  void issue(const Stage& stage, const Place& place) const;

  std::map<std::pair<int, int>, Place> places_;
  std::map<LaunchIndex, Place> left_;
  std::vector<uint64_t> words_;
  Buffer buffer_;
};

/// Work as CUDA graphs that are played one after another. The edges of timed segments are event records;
/// before the first edge and after the last the processors' clocks are read. Each graph waits at the gate
/// until the device has all of it.
class GraphTrack : public Track {
 public:
  ~GraphTrack() override;
  void enqueue(int repeats) override { asked_.push_back(repeats); }
  Played wait() override;

 protected:
  GraphTrack(const Stage& stage, size_t segments);
  /// Makes a graph of what `issue_all` issues on the stage's capturing stream.
  void capture(const std::function<void()>& issue_all) { graphs_.emplace_back(stage_.capturing, issue_all); }
  /// Within capture().
  void add_edge(size_t segment, bool starts);

  Stage stage_;
  PlacedCopies copies_;

 private:
  void play_once(Played& played);

  ClockSpan clock_;
  std::vector<CapturedGraph> graphs_;
  std::vector<CUevent> begin_;  ///< by segment
  std::vector<CUevent> end_;
  std::deque<int> asked_;
};

}  // namespace kjoule::driver
