#pragma once
#include <deque>
#include <memory>
#include <optional>

#include "cuda/session/delimited_session.hpp"
#include "cuda/session/passed_iterations.hpp"
#include "cuda/session/session.hpp"
#include "recording/iteration_position.hpp"
#include "recording/watched_launches.hpp"

namespace kjoule::cuda {

/// Finds the iteration in a sequence of launches that are added one by one.
class IterationFinder {
 public:
  virtual ~IterationFinder() = default;
  /// Adds the next launch. A graph counts as one launch here.
  virtual void add(const WatchedLaunch& launch) = 0;
  /// Returns the iteration once it is known; nothing before. `first` of the result is the number of a launch
  /// that begins an iteration, and is not below `launches`, the number of launches that the program has made.
  virtual std::optional<IterationPosition> found(uint64_t launches) const = 0;
  /// Returns the launch with which each iteration begins, once a loop is found whose iterations differ. In
  /// this case found() returns nothing.
  virtual std::optional<IterationBegin> begin() const { return {}; }
  /// Returns a clause that states which launches are the iteration, and why; valid once it is found.
  virtual std::string describe_iteration() const = 0;
  /// Returns the loop that was found last, with its first known iteration; nothing if the finder does not
  /// search for loops.
  virtual std::optional<IterationPosition> loop() const { return {}; }
  /// Discards the iteration that was found, because the program did not continue with it, and searches for
  /// another.
  virtual void reject() = 0;
  /// Returns a text for the message if no iteration was found: which launches repeated, and how many times.
  virtual std::string best_guess() const = 0;
};

/// A session for programs whose iterations follow each other without other launches between them.
class RepeatingSession final : public Session {
 public:
  /// `passed` is the number of iterations that pass between the time when the iteration is known and the
  /// recording. Their times are kept, and the recorded iteration must have the same launches.
  ///
  /// If the host does not wait for the device, further iterations pass before these, until `queue` launches
  /// are in the driver's queue, but for about two seconds at most. With a full queue, the host issues
  /// iterations as slowly as the device completes them, so that the host times of iterations are those of the
  /// device.
  ///
  /// With a `cut`, further iterations pass until it permits the recording.
  RepeatingSession(std::unique_ptr<IterationFinder> finder, int passed, uint64_t queue = 0,
                   LeaderCut* cut = nullptr);
  Step next(const NextLaunch& launch) override;
  /// Returns true while the iteration is searched for, and at the first launch of each iteration.
  bool needs_time() const override;
  void wait_for_device() override { has_waited_ = true; }
  bool is_timing() const override { return phase_ != Phase::searching || delimited_; }
  bool has_found() const override { return is_timing(); }
  bool search_again() override;
  bool can_record_next() const override { return finder_->loop() || finder_->begin(); }
  void record_next() override;
  bool is_shared() const override { return passed_.is_shared(); }
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override;
  bool runs_ahead() const override { return runs_ahead_; }
  std::string describe_iteration() const override { return finder_->describe_iteration(); }
  std::optional<IterationPosition> loop() const override { return finder_->loop(); }
  std::string best_guess() const override { return finder_->best_guess(); }

 private:
  enum class Phase { searching, passing, recording, ended };
  static constexpr size_t kMostWaits = 4096;
  void start_passing(const IterationPosition& found, int64_t time_ns);
  /// Returns whether the host waited in both of the last two iterations, which have `length` launches.
  bool waited_in_both(uint64_t length) const;
  Step begin_iteration(int64_t time_ns, uint64_t launches);
  bool matches_first_iteration(uint64_t place, uint64_t shape_hash);
  Step reject_iteration();

  std::unique_ptr<IterationFinder> finder_;
  std::optional<DelimitedSession> delimited_;  ///< takes over if the iterations of the loop differ
  PassedIterations passed_;
  uint64_t queue_;
  Phase phase_ = Phase::searching;
  IterationPosition iteration_{};
  uint64_t launches_ = 0;
  bool has_waited_ = false;  ///< whether the host has waited for the device since the last launch
  /// Numbers of the launches before which the host waited; only the last kMostWaits are kept.
  std::deque<uint64_t> waits_;
  /// Whether the host launched at least one of the last two iterations before the loop was found without
  /// waiting for the device in it.
  bool runs_ahead_ = false;
  int64_t begin_ns_ = 0;  ///< host time of the program's first launch
  uint64_t recorded_ = 0;
  uint64_t of_end_ = 0;                 ///< number of launches of the call that ended the recording
  std::vector<uint64_t> shape_hashes_;  ///< shape hashes of the first iteration
  size_t next_shape_ = 0;               ///< index of the next launch's shape hash
};

}  // namespace kjoule::cuda
