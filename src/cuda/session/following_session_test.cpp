#include "cuda/session/following_session.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cuda/session/delimited_session.hpp"
#include "cuda/session/idle_session.hpp"
#include "cuda/session/leader_cut.hpp"

namespace kjoule::cuda {
namespace {

/// A rank that makes the launches of a text: "C" is a collective, "2" a graph with two collectives, and other
/// letters are other kernels.
class Rank {
 public:
  Rank(std::unique_ptr<Session> session, RankPosition& position)
      : session_(std::move(session)), position_(position) {}
  /// Returns the initial of the session's step for each launch: "b" for begin and so on; "." for pass.
  std::string launch(const std::string& kernels) {
    std::string steps;
    for (const char kernel : kernels) {
      const uint64_t collectives = kernel == 'C' ? 1 : kernel == '2' ? 2 : 0;
      const Step step = session_->next(
          {static_cast<uint64_t>(kernel), 0, time_ns_ += 1000, 1, LaunchIdentity{}, collectives});
      steps += ".brae"[static_cast<int>(step)];
      if (step != Step::end) position_.advance(collectives);
    }
    return steps;
  }
  Session& session() { return *session_; }

 private:
  std::unique_ptr<Session> session_;
  RankPosition& position_;
  int64_t time_ns_ = 0;
};

class SharedIteration : public ::testing::Test {
 protected:
  SharedIteration() {
    board_->come();
    board_->come();
    board_->lead(0);
    board_->follow(1);
  }
  /// Returns a follower that has found no loop.
  Rank follower() {
    return {std::make_unique<FollowingSession>(second_, std::make_unique<IdleSession>(0)), second_};
  }
  /// Returns a follower whose own iterations begin with "a".
  Rank follower_with_loop() {
    auto own = std::make_unique<DelimitedSession>(IterationBegin{'a', {}}, PassedIterations(1, &second_cut_));
    return {std::make_unique<FollowingSession>(second_, std::move(own)), second_};
  }
  /// Returns the leader, whose iterations begin with "a". One iteration passes before the first one that may
  /// be recorded.
  Rank leader() {
    return {std::make_unique<DelimitedSession>(IterationBegin{'a', {}}, PassedIterations(1, &cut_)), first_};
  }

  SharedRankBoard board_;
  RankPosition first_{*board_, 0}, second_{*board_, 1};
  LeaderCut cut_{first_, std::nullopt}, second_cut_{second_, std::nullopt};
};

TEST_F(SharedIteration, BothRecordTheLaunchesBetweenTheSameCollectives) {
  Rank one = leader(), other = follower_with_loop();
  std::string of_one, of_other;
  for (int i = 0; i < 8; ++i) {
    of_one += one.launch("abCcCd");
    of_other += other.launch("abCcCd");
  }
  EXPECT_EQ(board_->cut(), (SharedCut{{10, 1}, 2, false, board_->cut().iteration_ns}))
      << "three iterations after it was announced";
  EXPECT_TRUE(one.session().is_shared());
  const std::string steps = std::string(5 * 6, '.') + "brrrrre" + std::string(11, '.');
  EXPECT_EQ(of_one, steps);
  EXPECT_EQ(of_other, steps);
  EXPECT_EQ(other.session().passed_iterations().size(), 3U);
}

TEST_F(SharedIteration, WhereTheNumbersOfCollectivesDifferEachRecordsItsOwn) {
  Rank one = leader(), other = follower_with_loop();
  std::string of_one, of_other;
  for (int i = 0; i < 20; ++i) {
    of_one += one.launch("aCbde");
    of_other += other.launch("acCCd");
  }
  EXPECT_TRUE(board_->cut().is_of_own_loops);
  const std::string steps = std::string(16 * 5, '.') + "brrrre" + std::string(14, '.');
  EXPECT_EQ(of_one, steps);
  EXPECT_EQ(of_other, steps);
  EXPECT_EQ(other.session().passed_iterations().size(), 1U);
}

TEST_F(SharedIteration, ARankThatIsSomeIterationsBehindHasItsOwn) {
  Rank one = leader(), other = follower_with_loop();
  for (int i = 0; i < 4; ++i) one.launch("aCb");
  for (int i = 0; i < 16; ++i) one.launch("aCb"), other.launch("aCC");
  EXPECT_TRUE(board_->cut().is_of_own_loops);
}

TEST_F(SharedIteration, ALoopOfTwoOfTheLeadersIterationsIsNoneOfItsOwn) {
  Rank one = leader(), other = follower_with_loop();
  for (int i = 0; i < 10; ++i) {
    one.launch("aC"), one.launch("aC");
    other.launch("aCbC");
  }
  EXPECT_EQ(board_->decision(), RankBoard::Decision::cut);
  EXPECT_FALSE(board_->cut().is_of_own_loops);
  EXPECT_EQ(board_->cut().period, 1U);
}

TEST_F(SharedIteration, OwnIterationsPassUntilTheRanksRest) {
  Rank one = leader(), other = follower_with_loop();
  for (int i = 0; i < 16; ++i) one.launch("aCb"), other.launch("aCC");
  EXPECT_EQ(one.launch("a"), "b");
  EXPECT_EQ(other.launch("a"), "b");
  one.session().record_next();
  other.session().record_next();
  EXPECT_EQ(one.launch("CbaCba"), "..brre") << "the one that began has passed";
  EXPECT_EQ(other.launch("CCaCCa"), "..brre");
  other.session().record_next();
  EXPECT_EQ(other.launch("aCCa"), "brre") << "with the launch that ended the last one";
}

TEST_F(SharedIteration, AFollowerThatLaunchesFewerKernelsBeginsBeforeTheNextCollective) {
  board_->announce({{2, 3}, 2});
  Rank other = follower();
  EXPECT_EQ(other.launch("CaCbCxCyC"), "....brrre") << "three calls after the second collective do not come";
}

TEST_F(SharedIteration, AFollowerThatLaunchesMoreBeginsAtTheSamePlace) {
  board_->announce({{2, 1}, 2});
  Rank other = follower();
  EXPECT_EQ(other.launch("CCabcdCCabc"), "...brrrrre.");
}

TEST_F(SharedIteration, CollectivesInGraphsCount) {
  board_->announce({{4, 0}, 2});
  Rank other = follower();
  EXPECT_EQ(other.launch("2a2b2c"), "...bre");
}

TEST_F(SharedIteration, AFollowerThatIsTooFarGivesUp) {
  Rank other = follower();
  EXPECT_EQ(other.launch("CCC"), "...");
  board_->announce({{2, 0}, 2});
  EXPECT_EQ(other.launch("a"), ".");
  EXPECT_EQ(board_->decision(), RankBoard::Decision::given_up);
}

TEST_F(SharedIteration, TheNextOneFollowsAtOnce) {
  board_->announce({{2, 0}, 2});
  Rank other = follower();
  EXPECT_EQ(other.launch("CCaCCb"), "..brre");
  other.session().record_next();
  EXPECT_EQ(other.launch("bCCa"), "brre") << "with the launch that ended the last one";
}

TEST_F(SharedIteration, AnotherCutIsWaitedForAfterTheIterationDiffered) {
  board_->announce({{2, 0}, 2});
  Rank other = follower();
  EXPECT_EQ(other.launch("CCaCCb"), "..brre");
  EXPECT_TRUE(other.session().search_again());
  EXPECT_EQ(other.launch("CC"), "..");
  board_->announce({{8, 0}, 2});
  EXPECT_EQ(other.launch("CCa"), "..b");
}

TEST_F(SharedIteration, ALeaderWithoutCollectivesIsRecordedAlone) {
  Rank one = leader();
  EXPECT_EQ(one.launch("abcabcab"), "...brre.");
  EXPECT_EQ(board_->decision(), RankBoard::Decision::alone);
  EXPECT_FALSE(one.session().is_shared());
}

TEST_F(SharedIteration, WhoDoesNotLeadDoesNotBegin) {
  board_->lead(1);
  Rank one = leader();
  EXPECT_EQ(one.launch("abCabCabCabC"), "............");
  EXPECT_EQ(board_->decision(), RankBoard::Decision::none);
}

TEST_F(SharedIteration, TheLeaderWaitsForAllRanksOfItsMachine) {
  LeaderCut cut(first_, 3);
  Rank one(std::make_unique<DelimitedSession>(IterationBegin{'a', {}}, PassedIterations(1, &cut)), first_);
  EXPECT_EQ(one.launch("aCaCaCaCaC"), "..........");
  EXPECT_EQ(board_->decision(), RankBoard::Decision::none) << "the third has not come";
  board_->follow(2);
  for (const uint32_t rank : {1, 2}) board_->set_loop(rank, 1);
  EXPECT_NE(one.launch("aCaCaCaCaCaC").find('b'), std::string::npos);
  EXPECT_EQ(board_->members(), 3U);
}

}  // namespace
}  // namespace kjoule::cuda
