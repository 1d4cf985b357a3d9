#pragma once
#include <deque>
#include <memory>

#include "cuda/captured_graph.hpp"
#include "cuda/placed_copies.hpp"

namespace kjoule::driver {

/// Steady work without edges and without gates: one graph, handed over while its last repeat still runs, so
/// that the device does not pause. Memory is restored after the plain iterations, and after the marked one.
/// Up to kInFlight enqueues may be under way.
class SteadyPlayer final : public Track {
 public:
  static constexpr size_t kInFlight = 4;

  /// The stage has write sets where launches are marked.
  SteadyPlayer(const Stage& stage, const Steady& work);
  ~SteadyPlayer() override;
  void enqueue(int repeats) override;
  void pause(double seconds) override;
  Played wait() override;

 private:
  void issue_iteration(const std::vector<LaunchIndex>& marked, bool left_out) const;

  /// One enqueue between two events.
  struct Flight {
    explicit Flight(const ClockKernel& clocks);
    ~Flight();
    CUevent begin = nullptr, end = nullptr;
    ClockSpan clock;
  };

  Stage stage_;
  PlacedCopies copies_;
  Buffer other_bytes_;  ///< that push everything else out of the caches
  Buffer pause_ns_;
  std::unique_ptr<CapturedGraph> graph_;
  std::deque<std::unique_ptr<Flight>> idle_, under_way_;
};

}  // namespace kjoule::driver
