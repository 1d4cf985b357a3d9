#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for a further GPU of a process, whose iteration is recorded together with that of the process's
/// leading GPU. The session searches for the loop of its own GPU. When begin() is called, it records as many
/// launches as one iteration of this loop has, from wherever the GPU is in its loop.
class AccompanyingSession final : public Session {
 public:
  /// `own` searches for the loop. `may_complete` is whether the recording may end before a further launch:
  /// the thread that makes the last launch may have to launch work on the leading GPU, too.
  AccompanyingSession(std::unique_ptr<Session> own, const std::atomic<bool>& may_complete)
      : own_(std::move(own)), may_complete_(may_complete) {}
  Step next(const NextLaunch& launch) override;
  bool needs_time() const override { return own_->needs_time(); }
  void wait_for_device() override { own_->wait_for_device(); }
  bool is_timing() const override { return own_->is_timing(); }
  bool has_found() const override { return own_->has_found(); }
  /// Returns whether the last launches repeat those before, so that begin() may be called.
  bool has_loop() const { return !iteration_.empty(); }
  /// Returns the number of collectives in an iteration of the loop; 0 without a loop.
  uint64_t collectives() const;
  /// Records from the next launch on; only if has_loop().
  void begin();
  bool has_all() const { return phase_ == Phase::recording && recorded_ == iteration_.size(); }
  bool is_complete() const override { return has_all() && may_complete_; }
  bool search_again() override;
  bool can_record_next() const override { return true; }
  void record_next() override { phase_ = Phase::searching; }
  bool is_shared() const override { return true; }
  uint64_t launches() const override { return own_->launches(); }
  std::vector<IterationSpan> passed_iterations() const override { return own_->passed_iterations(); }
  bool runs_ahead() const override { return own_->runs_ahead(); }
  std::string describe_iteration() const override { return own_->describe_iteration(); }
  std::string best_guess() const override { return own_->best_guess(); }

 private:
  enum class Phase { searching, recording, ended };
  struct PassedLaunch {
    uint64_t shape_hash, collectives;
  };
  /// Passes the launch to the search. Forgets the loop if the launch differs from that of the last iteration.
  void follow(const NextLaunch& launch);
  void forget_loop();

  std::unique_ptr<Session> own_;
  const std::atomic<bool>& may_complete_;
  Phase phase_ = Phase::searching;
  bool is_in_loop_ = false;              ///< whether current_ began with an iteration
  std::vector<PassedLaunch> iteration_;  ///< launches of the last complete iteration
  std::vector<PassedLaunch> current_;    ///< launches since the current iteration began
  size_t recorded_ = 0;
};

}  // namespace kjoule::cuda
