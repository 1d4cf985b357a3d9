#include "prediction/other_ranks_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "prediction/trained_models.hpp"

namespace kjoule {
namespace {

/// A sweep of 12 sizes in which n elements take `factor` (10 + n / 1000) us.
std::string table_of(double factor, int nodes, int gpus) {
  std::string table = "shape,nodes,GPUsPerNode,dur(us),energy(J)\n";
  for (int i = 0; i < 12; ++i) {
    const double elements = 1024 * std::exp2(i), us = factor * (10 + elements / 1000);
    table += fmt::format("{:.0f},{},{},{},{}\n", elements, nodes, gpus, us, us * 3e-4);
  }
  return table;
}

TEST(OtherRanksModel, FollowsTheLogarithmOfTheRanks) {
  const TemporaryFolder folder;
  write_atomic(folder / "G_allreduce_fp16_1_2.csv", table_of(1, 1, 2));
  write_atomic(folder / "G_allreduce_fp16_1_8.csv", table_of(4, 1, 8));
  write_atomic(folder / "G_allreduce_fp16_1_16.csv", table_of(5, 1, 16));
  TrainedModels models(SampledData::open_folder(folder.path()), folder / "models");
  const auto predict = [&](double gpus) {
    return predict_operator(models, "G", "allreduce", "fp16", Direction::step, {65536, 1, gpus});
  };
  const double two = 10 + 65.536;
  const Prediction four = predict(4).us;
  EXPECT_NEAR(four.value, 2 * two, 1e-6 * two) << "half of the way from 2 to 8";
  ASSERT_EQ(four.outside.size(), 1u);
  EXPECT_EQ(four.outside.front(), "1x4 GPUs (not sampled)");
  EXPECT_LT(four.low, two);
  EXPECT_GT(four.high, 4 * two);
  EXPECT_NEAR(predict(4).joules->value, 2 * two * 3e-4, 1e-9 * two);
  EXPECT_NEAR(predict(32).us.value, 6.25 * two, 1e-6 * two) << "from 8 and 16";
  EXPECT_TRUE(predict(8).us.outside.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "models")) << "nothing is trained";
}

TEST(OtherRanksModel, NeedsTwoNumbersOfRanksOfTheSameKindOfLink) {
  const TemporaryFolder folder;
  write_atomic(folder / "G_allreduce_fp16_1_2.csv", table_of(1, 1, 2));
  write_atomic(folder / "G_allreduce_fp16_2_4.csv", table_of(2, 2, 4));
  write_atomic(folder / "G_allreduce_fp16_4_4.csv", table_of(3, 4, 4));
  const SampledData data = SampledData::open_folder(folder.path());
  EXPECT_THROW(data.find("G", "allreduce", "fp16", 1, 4), Error);
  const std::vector<TableName> found = data.neighbours(data.find("G", "allreduce", "fp16", 8, 4));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].stem(), "G_allreduce_fp16_4_4");
  EXPECT_EQ(found[1].stem(), "G_allreduce_fp16_2_4");
}

}  // namespace
}  // namespace kjoule
