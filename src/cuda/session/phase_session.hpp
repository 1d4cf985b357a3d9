#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cuda/session/session.hpp"
#include "recording/phase_pattern.hpp"

namespace kjoule::cuda {

/// A session for the phases of a program that was observed in an earlier run. It records one iteration of
/// each phase, in the order in which the program reaches them. Phases are recognised by their launches
/// (LaunchIdentity).
class PhaseSession final : public Session {
 public:
  /// `launches` is the number of launches that the program has made already.
  explicit PhaseSession(const std::vector<PhasePattern>& phases, uint64_t launches = 0);
  Step next(const NextLaunch& launch) override;
  bool needs_identity() const override { return true; }
  bool needs_time() const override { return state_ == State::searching; }
  bool is_timing() const override { return true; }
  bool is_complete() const override {
    return state_ == State::recording && place_ == current_->pattern.iteration.size();
  }
  bool may_end() const override { return state_ == State::recording && is_in_tail(); }
  WindowEdges edges() const override;
  bool go_on() override;
  uint64_t launches() const override { return launches_; }
  std::optional<uint32_t> phase() const override { return current_->pattern.number; }
  /// Returns the iterations, at most 5, of the recorded phase that directly preceded the recorded iteration.
  std::vector<IterationSpan> passed_iterations() const override;
  std::string describe_iteration() const override;
  std::string best_guess() const override;

 private:
  enum class State { searching, recording, recorded };
  /// A place where an iteration of a phase begins.
  struct Begin {
    uint64_t launch = 0;
    int64_t time_ns = 0;
  };
  struct Searched {
    PhasePattern pattern;
    int attempts = 0;          ///< recordings that were begun; kMostAttempts at most
    std::deque<Begin> begins;  ///< the last places that match
  };
  Step search(const NextLaunch& launch, uint64_t number);
  /// Returns whether all measured launches of the iteration were recorded.
  bool is_in_tail() const;
  /// Returns whether the next launch continues the recorded iteration.
  bool continues(const NextLaunch& launch) const;

  std::vector<Searched> phases_;
  std::vector<Searched>::iterator current_;  ///< the phase that is being recorded, or was recorded last
  State state_ = State::searching;
  size_t place_ = 0;  ///< number of launches of the current iteration that were recorded
  uint64_t launches_ = 0;
  LastLaunches last_;
};

}  // namespace kjoule::cuda
