#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/session/passed_iterations.hpp"
#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for a loop whose iterations differ: each of them begins with a known launch. If a thread makes
/// this launch and others launch, too, an iteration is recorded in which the others do the same as in the
/// iteration before it: what they launch then begins and ends at the same place of their own work, and can be
/// repeated.
class DelimitedSession final : public Session {
 public:
  DelimitedSession(const IterationBegin& begin, PassedIterations passed)
      : begin_(begin), passed_(std::move(passed)) {}
  Step next(const NextLaunch& launch) override;
  bool needs_time() const override { return phase_ == Phase::passing; }
  bool is_timing() const override { return true; }
  bool can_record_next() const override { return true; }
  void record_next() override;
  bool is_shared() const override { return passed_.is_shared(); }
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override { return passed_.spans(); }
  std::string describe_iteration() const override { return {}; }
  std::string best_guess() const override { return {}; }

 private:
  enum class Phase { passing, recording, ended };
  /// A hash of the launches of each thread, in their order.
  using HashesOfThreads = std::map<uint64_t, uint64_t>;

  /// Registers that an iteration ends. Returns whether the other threads launched the same in it as in the
  /// one before.
  bool end_iteration();

  IterationBegin begin_;
  PassedIterations passed_;
  Phase phase_ = Phase::passing;
  uint64_t launches_ = 0;
  uint64_t of_end_ = 0;  ///< number of launches of the call that ended the recording
  bool has_begun_ = false;
  HashesOfThreads others_;                        ///< the launches of the other threads in this iteration
  std::optional<HashesOfThreads> others_before_;  ///< those in the iteration before it
  int abandoned_ = 0;                             ///< number of iterations whose recording was abandoned
};

}  // namespace kjoule::cuda
