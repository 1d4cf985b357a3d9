#pragma once
#include <atomic>
#include <condition_variable>
#include <optional>
#include <string>
#include <thread>

#include "base/process/mutex.hpp"
#include "cuda/session/repeating_session.hpp"
#include "recording/lasting_loop.hpp"

namespace kjoule::cuda {

/// Finds the iteration of a running program: a thread of this class searches for the loop that the program
/// has repeated for some time (find_lasting_loop()), so that the program hardly waits for the search.
class LoopSearch final : public IterationFinder {
 public:
  /// `lasting_s` is the time in s that a loop must last before it is found.
  explicit LoopSearch(double lasting_s);
  ~LoopSearch() override;
  void add(const WatchedLaunch& launch) override;
  std::optional<IterationPosition> found(uint64_t launches) const override;
  std::optional<IterationBegin> begin() const override;
  void reject() override;
  std::string describe_iteration() const override;
  std::optional<IterationPosition> loop() const override;
  std::string best_guess() const override;

 private:
  void search();

  int64_t lasting_ns_;
  WatchedLaunches watched_;
  std::atomic<bool> is_found_ = false;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  /// The loop that was found last. It is kept for messages after it was rejected.
  std::optional<LastingLoop> loop_ KJOULE_GUARDED_BY(mutex_);
  bool is_over_ KJOULE_GUARDED_BY(mutex_) = false;
  std::thread searcher_;  ///< starts with the first launch
};

}  // namespace kjoule::cuda
