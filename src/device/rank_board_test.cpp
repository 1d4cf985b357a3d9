#include "device/rank_board.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Decision = RankBoard::Decision;

/// Waits for the answer to the question on which this rank voted last.
bool answer_of(const RankBoard& board, uint32_t rank) {
  for (;;) {
    if (const auto answer = board.count_votes(rank)) return *answer;
    std::this_thread::yield();
  }
}

TEST(RankBoard, AnnouncesTheIterationOfTheGpusOfOneProcess) {
  const SharedRankBoard board;
  for (int gpu = 0; gpu < 4; ++gpu) board->come();
  board->announce_for({{7, 1}, 2, false, 0}, 0, {2, 3});
  EXPECT_EQ(board->decision(), Decision::cut);
  EXPECT_EQ(board->cut().begin, (RankPlace{7, 1}));
  EXPECT_EQ(board->members(), 3U);
  EXPECT_FALSE(board->is_member(1));
  EXPECT_EQ(board->position(3), 2U);
  EXPECT_EQ(board->followers(), 0U) << "no other process follows";
}

TEST(RankBoard, IsTheSameForAllThatMapIt) {
  const SharedRankBoard own;
  const SharedRankBoard other(own.path());
  EXPECT_EQ(own->come(), 0U);
  EXPECT_EQ(other->come(), 1U);
  own->lead(1);
  EXPECT_TRUE(other->is_leader(1));
  EXPECT_FALSE(other->is_leader(0));
  other->set_collectives(1, 17);
  EXPECT_EQ(own->most_collectives(), 17U) << "of the leader";
}

TEST(RankBoard, CountsOnlyCollectivesOfRanksThatTakePart) {
  const SharedRankBoard board;
  board->lead(0);
  board->set_collectives(0, 5);
  board->set_collectives(1, 9);
  EXPECT_EQ(board->most_collectives(), 5U);
  board->follow(1);
  EXPECT_EQ(board->most_collectives(), 9U);
  EXPECT_EQ(board->followers(), 1U);
}

TEST(RankBoard, TheGroupIsWhoFollowedWhenTheIterationWasAnnounced) {
  const SharedRankBoard board;
  board->lead(3);
  board->follow(1);
  board->follow(5);
  EXPECT_EQ(board->decision(), Decision::none);
  const SharedCut cut{{120, 2}, 16};
  board->announce(cut);
  board->follow(6);
  EXPECT_EQ(board->decision(), Decision::cut);
  EXPECT_EQ(board->cut(), cut);
  EXPECT_EQ(board->members(), 3U);
  EXPECT_FALSE(board->is_member(6));
  EXPECT_EQ(board->position(1), 0U);
  EXPECT_EQ(board->position(3), 1U);
  EXPECT_EQ(board->position(5), 2U);
}

TEST(RankBoard, NothingIsDecidedAnyMoreAfterARankHasFailed) {
  const SharedRankBoard board;
  board->lead(0);
  board->give_up();
  board->announce({{1, 0}, 1});
  EXPECT_EQ(board->decision(), Decision::given_up);
}

TEST(RankBoard, RanksAgreeOnOneQuestionAfterAnother) {
  constexpr uint32_t kRanks = 3;
  constexpr int kQuestions = 2000;
  const SharedRankBoard board;
  board->lead(0);
  for (uint32_t rank = 1; rank < kRanks; ++rank) board->follow(rank);
  board->announce({{1, 0}, 1});
  // Of each seven questions, one is answered yes by one rank, another one each time.
  const auto vote = [](int question, uint32_t rank) {
    return question % 7 == 0 && static_cast<uint32_t>(question / 7) % kRanks == rank;
  };
  std::vector<int> wrong(kRanks);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < kRanks; ++rank)
    ranks.emplace_back([&, rank] {
      for (int question = 0; question < kQuestions; ++question) {
        board->vote(rank, vote(question, rank));
        if (answer_of(*board, rank) != (question % 7 == 0)) ++wrong[rank];
      }
    });
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(wrong, std::vector<int>(kRanks));
}

TEST(RankBoard, RanksPartTogetherAndKnowWhetherOneHasFailed) {
  const SharedRankBoard board;
  board->announce_for({{7, 1}, 2, false, 0}, 0, {2});
  board->part(0, 1, false);
  EXPECT_FALSE(board->has_failed_at(1)) << "rank 2 has not come";
  board->part(2, 1, false);
  EXPECT_EQ(board->has_failed_at(1), false);
  board->give_up();
  board->part(2, 2, true);
  EXPECT_FALSE(board->has_failed_at(2));
  board->part(0, 2, false);
  EXPECT_EQ(board->has_failed_at(2), true);
  EXPECT_FALSE(board->has_failed_at(3));
}

TEST(RankBoard, HasRoomForSomeRanks) {
  const SharedRankBoard board;
  for (size_t rank = 0; rank < kMostRanks; ++rank) board->come();
  EXPECT_THROW(board->come(), Error);
}

TEST(RankBoard, AnotherFileIsRefused) {
  EXPECT_THROW(SharedRankBoard{"/proc/self/exe"}, Error);
  EXPECT_THROW(SharedRankBoard{"/dev/null"}, Error);
}

TEST(RankBoard, OfAProcessThatIsGoneIsRefused) {
  std::string path;
  {
    const SharedRankBoard board;
    path = board.path();
  }
  EXPECT_THROW(SharedRankBoard{path}, Error);
}

}  // namespace
}  // namespace kjoule
