#pragma once
#include <deque>
#include <memory>

#include "captured_graph.hpp"
#include "graph_track.hpp"

namespace kjoule::driver {

/// A Sequence without edges and without gates: one graph, handed over while its last repeat still runs, so that
/// the device does not pause. Up to kInFlight enqueues may be under way.
class SteadyPlayer final : public Track {
 public:
  static constexpr size_t kInFlight = 4;

  SteadyPlayer(const Stage& stage, const Sequence& sequence);
  ~SteadyPlayer() override;
  void enqueue(int repeats) override;
  Played wait() override;

 private:
  /// One enqueue between two events.
  struct Flight {
    explicit Flight(const ClockKernel& clocks);
    ~Flight();
    CUevent begin = nullptr, end = nullptr;
    ClockSpan clock;
  };

  Stage stage_;
  PlacedCopies copies_;
  std::unique_ptr<CapturedGraph> graph_;
  std::deque<std::unique_ptr<Flight>> idle_, under_way_;
};

}  // namespace kjoule::driver
