#pragma once
#include <deque>
#include <string>

#include "cuda/session/session.hpp"
#include "device/window_search.hpp"

namespace kjoule::cuda {

/// A session for windows that are no iterations, one after another. For each window it records a lead, the
/// measured launches, and a tail (WindowEdges).
class WindowSession final : public Session {
 public:
  /// `places` has at least one element, and is sorted by launch number. `launches` is the number of launches
  /// that the program has made already.
  explicit WindowSession(std::deque<WindowPlace> places, uint64_t launches = 0);
  Step next(const NextLaunch& launch) override;
  bool needs_identity() const override { return state_ == State::passing && !place().after.empty(); }
  void wait_for_device() override { has_waited_ = true; }
  bool is_complete() const override;
  bool may_end() const override {
    return state_ == State::tail || (state_ == State::measured && measured_ >= place().least);
  }
  WindowEdges edges() const override { return edges_; }
  bool go_on() override;
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override { return {}; }
  std::string describe_iteration() const override;
  std::optional<LaunchRange> window() const override { return LaunchRange{first_, first_ + measured_}; }
  std::string best_guess() const override;

 private:
  enum class State { passing, lead, measured, tail, ended };
  const WindowPlace& place() const { return places_.front(); }
  /// Returns whether the lead may begin with this launch.
  bool may_begin_lead(const NextLaunch& launch);
  /// Adds launches to the part of the window (lead, measured launches or tail) to which they belong.
  void add(uint64_t launches);

  std::deque<WindowPlace> places_;  ///< the current one first
  uint64_t launches_;
  uint64_t since_;  ///< number of launches when the search for the current place began
  State state_ = State::passing;
  LastLaunches last_;
  bool has_waited_ = false;  ///< whether the host waited for the device after the previous launch
  WindowEdges edges_;
  uint64_t first_ = 0;  ///< number of the first measured launch
  uint64_t measured_ = 0;
};

}  // namespace kjoule::cuda
