#include "collectives/group_place.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<GroupPlace> place_of(const Variables& variables) {
  const auto read = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  return read_group_place(read, "m");
}

std::string error_of(const Variables& variables) {
  try {
    place_of(variables);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// Returns the variables, of which some are replaced; an empty value removes one.
Variables with(Variables variables, const Variables& others) {
  for (const auto& [name, value] : others) variables[name] = value;
  return variables;
}

const Variables kTorchrun{{"RANK", "3"},
                          {"WORLD_SIZE", "4"},
                          {"LOCAL_RANK", "1"},
                          {"LOCAL_WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "node0"},
                          {"MASTER_PORT", "29500"},
                          {"TORCHELASTIC_RUN_ID", "none"},
                          {"TORCHELASTIC_RESTART_COUNT", "0"}};
const Variables kSrun{{"SLURM_PROCID", "5"},         {"SLURM_STEP_NUM_TASKS", "8"},
                      {"SLURM_NTASKS", "16"},        {"SLURM_LOCALID", "1"},
                      {"SLURM_STEP_ID", "2"},        {"SLURM_JOB_ID", "123456"},
                      {"SLURM_STEP_NUM_NODES", "2"}, {"SLURM_STEP_NODELIST", "n[03-04]"}};

TEST(GroupPlace, IsThatOfTorchrun) {
  const auto place = place_of(kTorchrun);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name(), "rank 3 (GPU 1 of m)");
  EXPECT_EQ(place->ranks, 4);
  EXPECT_EQ(place->address, "node0");
  EXPECT_EQ(place->port, 29501);
  EXPECT_FALSE(place->is_one_machine);
}

TEST(GroupPlace, IsThatOfSrun) {
  const auto place = place_of(kSrun);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name(), "rank 5 (GPU 1 of m)");
  EXPECT_EQ(place->ranks, 8);
  EXPECT_EQ(place->address, "n03");
  EXPECT_EQ(place->port, 20000 + 3458);
  EXPECT_EQ(place_of(with(kSrun, {{"MASTER_ADDR", "ib0"}, {"MASTER_PORT", "65535"}}))->address, "ib0");
  EXPECT_EQ(place_of(with(kSrun, {{"MASTER_PORT", "65535"}}))->port, 65534);
  EXPECT_EQ(place_of(with(kSrun, {{"SLURM_STEP_NUM_TASKS", ""}}))->ranks, 16);
}

TEST(GroupPlace, IsOfTorchrunWithinSrun) {
  EXPECT_EQ(place_of(with(kSrun, kTorchrun))->rank, 3);
}

TEST(GroupPlace, IsMissingWithoutLauncher) {
  EXPECT_FALSE(place_of({}));
  // Other programs set these as well.
  EXPECT_FALSE(place_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}, {"MASTER_ADDR", "node0"}}));
  EXPECT_FALSE(place_of(with(kTorchrun, {{"WORLD_SIZE", "1"}, {"RANK", "0"}})));
  // The script of a job, which is no step, and the shell of salloc, which is a special one.
  EXPECT_FALSE(place_of(with(kSrun, {{"SLURM_STEP_ID", ""}})));
  EXPECT_FALSE(place_of(with(kSrun, {{"SLURM_STEP_ID", "4294967290"}})));
  EXPECT_FALSE(place_of(with(kSrun, {{"SLURM_STEP_NUM_TASKS", "1"}})));
}

TEST(GroupPlace, UsesTheOnlyVisibleGpu) {
  EXPECT_EQ(place_of(with(kTorchrun, {{"CUDA_VISIBLE_DEVICES", "6"}}))->gpu, 0);
  EXPECT_EQ(place_of(with(kSrun, {{"CUDA_VISIBLE_DEVICES", "GPU-0123"}}))->gpu, 0);
  EXPECT_EQ(place_of(with(kSrun, {{"CUDA_VISIBLE_DEVICES", "4,5"}}))->gpu, 1);
}

TEST(GroupPlace, OnOneMachineNeedsNoAddress) {
  const auto torchrun = place_of(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "4"}}));
  EXPECT_TRUE(torchrun->is_one_machine);
  EXPECT_EQ(torchrun->address, "127.0.0.1");
  const auto srun = place_of(with(kSrun, {{"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_STEP_NODELIST", ""}}));
  EXPECT_TRUE(srun->is_one_machine);
}

TEST(GroupPlace, DistinguishesRuns) {
  const auto changes = {Variables{{"MASTER_PORT", "29501"}}, Variables{{"TORCHELASTIC_RUN_ID", "a"}},
                        Variables{{"TORCHELASTIC_RESTART_COUNT", "1"}}};
  for (const Variables& change : changes)
    EXPECT_NE(place_of(with(kTorchrun, change))->run, place_of(kTorchrun)->run);
  for (const char* name : {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_RESTART_COUNT"})
    EXPECT_NE(place_of(with(kSrun, {{name, "7"}}))->run, place_of(kSrun)->run);
  EXPECT_LE(place_of(with(kTorchrun, {{"TORCHELASTIC_RUN_ID", std::string(5000, 'x')}}))->run.size(), 200U);
}

TEST(GroupPlace, NamesTheVariableThatIsWrong) {
  EXPECT_EQ(error_of(with(kTorchrun, {{"RANK", "4"}})),
            "the environment variable RANK is '4', which is no number from 0 to 3");
  EXPECT_EQ(error_of(with(kTorchrun, {{"MASTER_PORT", ""}})),
            "the environment variable MASTER_PORT is '', which is no number from 1 to 65535");
  EXPECT_EQ(error_of(with(kTorchrun, {{"MASTER_ADDR", ""}})),
            "the environment variable MASTER_ADDR is not set, so the machine of rank 0 is not known");
  EXPECT_EQ(error_of(with(kSrun, {{"SLURM_LOCALID", "-1"}})),
            "the environment variable SLURM_LOCALID is '-1', which is no number from 0 to 1000000");
  EXPECT_EQ(error_of(with(kSrun, {{"SLURM_STEP_NODELIST", "a[1-2]b[3-4]"}})),
            "the machine of rank 0 is not known from Slurm's list of nodes, 'a[1-2]b[3-4]'");
}

}  // namespace
}  // namespace kjoule
