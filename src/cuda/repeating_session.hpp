#pragma once
#include <memory>
#include <optional>

#include "cuda/session.hpp"

namespace kjoule::inject {

/// Where an iteration lies among a program's launches, counted from its start.
struct IterationAt {
  uint64_t first;
  uint64_t length;
};

/// Finds the iteration while launches come.
class IterationFinder {
 public:
  virtual ~IterationFinder() = default;
  /// Hashes of what is launched and of its arguments; host time.
  virtual void add(uint64_t signature, uint64_t arguments, int64_t time_ns) = 0;
  virtual std::optional<IterationAt> found() const = 0;
  /// What was found did not go on; look for another.
  virtual void reject() = 0;
  /// For a message when none was found: what repeated, how often.
  virtual std::string best_guess() const = 0;
};

/// For programs whose iterations follow one another, launch after launch.
class RepeatingSession final : public Session {
 public:
  /// `skip`: iterations that are let pass once the iteration is known; their times are kept, and the one
  /// recorded must launch what they did.
  RepeatingSession(std::unique_ptr<IterationFinder> finder, int skip);
  Step next(uint64_t signature, uint64_t arguments, int64_t time_ns, uint64_t launches = 1) override;
  /// While an iteration is looked for, and where one begins.
  bool needs_time() const override;
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed() const override;
  std::string best_guess() const override { return finder_->best_guess(); }

 private:
  enum class Phase { searching, passing, recording, ended };
  void tell_finder(uint64_t signature, uint64_t arguments, int64_t time_ns, uint64_t launches);
  Step on_boundary(int64_t time_ns, uint64_t launches);
  bool as_before(uint64_t place, uint64_t signature);
  Step give_up();

  std::unique_ptr<IterationFinder> finder_;
  int skip_;
  Phase phase_ = Phase::searching;
  IterationAt at_{};
  uint64_t launches_ = 0;
  int64_t last_ns_ = 0;  ///< the last time that was needed
  uint64_t recorded_ = 0;
  std::vector<uint64_t> signatures_;    ///< of the first iteration
  size_t at_signature_ = 0;             ///< the next one of an iteration
  std::vector<int64_t> boundaries_ns_;  ///< first launches of those, and of the one recorded
};

}  // namespace kjoule::inject
