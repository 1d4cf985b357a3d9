#pragma once
#include "cuda/session/rank_position.hpp"
#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for a rank that records the iteration that the leading rank has chosen: the launches between the
/// same collectives.
class FollowingSession final : public Session {
 public:
  /// `launches` is the number of launches so far.
  FollowingSession(RankPosition& position, uint64_t launches) : position_(position), launches_(launches) {}
  Step next(const NextLaunch& launch) override;
  bool needs_time() const override { return phase_ == Phase::passing; }
  bool is_timing() const override { return phase_ == Phase::passing; }
  bool has_found() const override { return phase_ != Phase::waiting; }
  bool is_shared() const override { return true; }
  bool search_again() override;
  bool can_record_next() const override { return true; }
  void record_next() override;
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override { return spans_between(begins_ns_); }
  std::string describe_iteration() const override;
  std::string best_guess() const override { return "the leading rank has chosen no iteration"; }

 private:
  enum class Phase { waiting, passing, recording, ended };
  /// Returns whether an iteration before the recorded one begins with the next launch.
  bool begins_earlier(const NextLaunch& launch) const;

  RankPosition& position_;
  uint64_t launches_;
  uint64_t of_end_ = 0;  ///< launches of the one that ended the recording
  Phase phase_ = Phase::waiting;
  uint32_t announcement_ = 0;  ///< number of the one that is followed
  SharedCut cut_;
  std::vector<int64_t> begins_ns_;  ///< of the iterations that passed since the announcement
};

}  // namespace kjoule::cuda
