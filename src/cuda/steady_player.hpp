#pragma once
#include <deque>
#include <memory>

#include "cuda/captured_graph.hpp"
#include "cuda/placed_copies.hpp"

namespace kjoule::driver {

/// The track for Steady: one graph without stamps or gates. It is submitted again while its last repeat still
/// runs, so that the device never idles. Memory is restored after the plain iterations, and after the
/// iteration with marked launches. At most kInFlight enqueues may be in progress.
class SteadyPlayer final : public Track {
 public:
  static constexpr size_t kInFlight = 4;

  /// `stage` must have write sets if `work` has marked launches.
  SteadyPlayer(const Stage& stage, const Steady& work);
  ~SteadyPlayer() override;
  void enqueue(int repeats) override;
  void pause(double seconds) override;
  Played wait() override;

 private:
  void issue_iteration(const std::vector<LaunchIndex>& marked, bool left_out) const;

  /// One enqueue in progress, between two events.
  struct Flight {
    explicit Flight(const ClockKernel& clocks);
    ~Flight();
    CUevent begin = nullptr, end = nullptr;
    ClockSpan clock;
  };

  Stage stage_;
  PlacedCopies copies_;
  Buffer other_bytes_;  ///< unrelated memory that is copied to flush the caches
  Buffer pause_ns_;
  std::unique_ptr<CapturedGraph> graph_;
  std::deque<std::unique_ptr<Flight>> idle_, under_way_;
};

}  // namespace kjoule::driver
