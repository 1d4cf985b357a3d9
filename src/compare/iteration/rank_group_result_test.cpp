#include "compare/iteration/rank_group_result.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

RankResult rank_of(const std::string& name, double whole_s, Verdict verdict, double within) {
  RankResult rank;
  rank.rank = name;
  rank.whole_s = {whole_s, 0};
  rank.judgement = {verdict, "", within};
  return rank;
}

TEST(RankGroupResult, IsThatOfTheSlowestAndLeastCertainRanks) {
  std::vector<RankResult> ranks{rank_of("rank 0", 3, Verdict::adds_up, 0.001),
                                rank_of("rank 1", 5, Verdict::adds_up, 0.002)};
  EXPECT_EQ(slowest_rank(ranks).rank, "rank 1");
  EXPECT_EQ(least_certain_rank(ranks).rank, "rank 1");
  ranks.push_back(rank_of("rank 2", 4, Verdict::inconclusive, 0.02));
  EXPECT_EQ(least_certain_rank(ranks).rank, "rank 2");
  ranks.push_back(rank_of("rank 3", 4, Verdict::does_not_add_up, 0.015));
  EXPECT_EQ(least_certain_rank(ranks).rank, "rank 3");
  EXPECT_EQ(slowest_rank(ranks).rank, "rank 1");
}

}  // namespace
}  // namespace kjoule
