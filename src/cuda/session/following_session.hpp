#pragma once
#include <memory>
#include <utility>

#include "cuda/session/rank_position.hpp"
#include "cuda/session/session.hpp"

namespace kjoule::cuda {

/// A session for a rank that records the iteration chosen by the leading rank: the launches between the same
/// collectives, or an iteration of the loop that this rank has found itself.
class FollowingSession final : public Session {
 public:
  /// `own` is the session that has searched for the rank's own loop so far, and continues to do so.
  FollowingSession(RankPosition& position, std::unique_ptr<Session> own)
      : position_(position), own_(std::move(own)), launches_(own_->launches()) {}
  Step next(const NextLaunch& launch) override;
  bool needs_time() const override { return phase_ == Phase::passing || (searches_ && own_->needs_time()); }
  void wait_for_device() override { own_->wait_for_device(); }
  bool is_timing() const override { return phase_ == Phase::passing; }
  bool has_found() const override { return phase_ != Phase::waiting; }
  bool is_shared() const override { return true; }
  bool search_again() override;
  bool can_record_next() const override { return true; }
  void record_next() override;
  uint64_t launches() const override { return launches_; }
  std::vector<IterationSpan> passed_iterations() const override;
  std::string describe_iteration() const override;
  std::string best_guess() const override { return "the leading rank has chosen no iteration"; }

 private:
  enum class Phase { waiting, passing, recording, ended };
  /// Returns whether an iteration before the recorded one begins with the next launch.
  bool begins_earlier(const NextLaunch& launch) const;
  void take_note_of_announcement();
  /// Passes the launch to own_, which finds iterations of the rank's own loop. Returns the step: iterations
  /// pass unrecorded until the leading rank has announced one.
  Step follow_own_loop(const NextLaunch& launch);
  Step follow_leader(const NextLaunch& launch);

  RankPosition& position_;
  std::unique_ptr<Session> own_;
  bool searches_ = true;  ///< whether own_ has been given all launches
  uint64_t launches_;
  uint64_t of_end_ = 0;  ///< number of launches of the call that ended the recording
  Phase phase_ = Phase::waiting;
  uint32_t announcement_ = 0;  ///< number of the announcement that this session follows
  SharedCut cut_;
  std::vector<int64_t> begins_ns_;  ///< host times of the iterations that began since the announcement
};

}  // namespace kjoule::cuda
