#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/session/leader_cut.hpp"
#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for iterations that differ: a known launch begins each of them.
class DelimitedSession final : public Session {
 public:
  /// `passed` is the number of iterations that pass before one is recorded. Their times are kept.
  /// With a `cut`, further ones pass until it permits the recording.
  DelimitedSession(const IterationBegin& begin, int passed, LeaderCut* cut = nullptr)
      : begin_(begin), passed_(passed), cut_(cut) {}
  Step next(const NextLaunch& launch) override;
  bool needs_time() const override { return phase_ == Phase::passing; }
  bool is_timing() const override { return true; }
  bool can_record_next() const override { return true; }
  void record_next() override;
  bool is_shared() const override { return cut_ != nullptr && cut_->is_shared(); }
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override;
  std::string describe_iteration() const override { return {}; }
  std::string best_guess() const override { return {}; }

 private:
  enum class Phase { passing, recording, ended };

  IterationBegin begin_;
  int passed_;
  LeaderCut* cut_;  ///< null if the program is measured in one process
  Phase phase_ = Phase::passing;
  uint64_t launches_ = 0;
  uint64_t of_end_ = 0;             ///< launches of the one that ended the recording
  std::vector<int64_t> begins_ns_;  ///< of the passed iterations and of the recorded one
};

}  // namespace kjoule::cuda
