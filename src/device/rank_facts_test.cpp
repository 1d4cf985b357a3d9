#include "device/rank_facts.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kjoule {
namespace {

RankFacts read(const std::map<std::string, const char*>& variables) {
  return read_rank_facts([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  });
}

TEST(RankFacts, OfTorchrun) {
  const RankFacts facts =
      read({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}});
  EXPECT_EQ(facts, (RankFacts{5, 8, 1, 4, {}, {}}));
}

TEST(RankFacts, OfMpi) {
  EXPECT_EQ(read({{"OMPI_COMM_WORLD_RANK", "1"},
                  {"OMPI_COMM_WORLD_SIZE", "2"},
                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
            (RankFacts{1, 2, 1, 2, {}, {}}));
  EXPECT_EQ(read({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), (RankFacts{0, 2, {}, {}, {}, {}}));
}

TEST(RankFacts, TorchrunWithinAJobOfSlurmCountsItsOwnProcesses) {
  const RankFacts facts =
      read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}});
  EXPECT_EQ(facts.rank, 1);
  EXPECT_EQ(facts.ranks, 2);
}

TEST(RankFacts, OfAProgramWithoutALauncher) {
  EXPECT_EQ(read({}), RankFacts{});
  EXPECT_EQ(read({{"RANK", "first"}, {"WORLD_SIZE", "2"}}), RankFacts{});
  EXPECT_EQ(read({{"RANK", "-1"}}), RankFacts{});
}

TEST(RankFacts, NameARank) {
  EXPECT_EQ(rank_name({3, 4, {}, {}, 1, {}}, 1234), "rank 3");
  EXPECT_EQ(rank_name({{}, {}, {}, {}, 1, {}}, 1234), "GPU 1");
  EXPECT_EQ(rank_name({}, 1234), "process 1234");
}

}  // namespace
}  // namespace kjoule
