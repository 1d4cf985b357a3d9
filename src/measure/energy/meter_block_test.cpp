#include "measure/energy/meter_block.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "measure/meters/meter_record.hpp"
#include "simulated/device.hpp"
#include "simulated/energy_truth.hpp"
#include "simulated/meter.hpp"

namespace kjoule {
namespace {

KernelTable table_of(const std::vector<Tier>& tiers) {
  KernelTable table;
  for (size_t k = 0; k < tiers.size(); ++k) {
    Kernel kernel;
    kernel.tier = tiers[k];
    kernel.places = {static_cast<LaunchIndex>(k)};
    table.kernels.push_back(kernel);
  }
  return table;
}

TEST(MeterBlocks, AreTheWholeTheLargestKernelsAndTheOthersByTier) {
  using Blocks = std::vector<std::vector<uint32_t>>;
  const KernelTable table = table_of({Tier::framework, Tier::vendor_library, Tier::framework, Tier::framework,
                                      Tier::cuda_runtime, Tier::framework});
  EXPECT_EQ(meter_blocks(table, {1, 9, 2, 8, 3, 0}, 2), (Blocks{{}, {1}, {3}, {4}, {2, 0}}));
  EXPECT_EQ(meter_blocks(table, {1, 9, 0, 0, 0, 0}, 10), (Blocks{{}, {1}, {0}}));
}

TEST(MeterBlock, ContainsWholeRunsOfSteadyWork) {
  SimulatedDevice device(parse_simulated_spec("seed=4,drift=0,noise=0,power_limit=1000"));
  const KernelTable table = kernel_table(device.record());
  device.begin_round(0);
  std::vector<std::unique_ptr<Meter>> meters;
  meters.push_back(make_simulated_meter(device, SimulatedMeterKind::energy_counter));
  std::vector<MeterRecord> records = records_under_load(meters);
  for (const std::vector<uint32_t>& kernels : {std::vector<uint32_t>{}, {0}}) {
    const MeterBlock block = measure_meter_block(device, table, kernels, 1e-3, records, {0.2, 1});
    EXPECT_EQ(block.error, "");
    EXPECT_EQ(block.is_whole(), kernels.empty());
    ASSERT_EQ(block.with.size(), 1U);
    const double seconds = static_cast<double>(block.end_ns - block.begin_ns) * 1e-9;
    EXPECT_NEAR(seconds, 1, 0.15);
    const double busy = static_cast<double>(block.with[0].runs) * block.with[0].each_s / seconds;
    EXPECT_LE(busy, 1 + 1e-6);
    EXPECT_GT(busy, kernels.empty() ? 0.8 : 1 - 1e-6) << "only restoring memory is no run of the whole";
    EXPECT_GT(records.front().mean_w(block.begin_ns, block.end_ns).value(), 50);
  }
}

class MeterBlockDifference : public testing::Test {
 protected:
  MeterBlockDifference() {
    device_.begin_round(0);
    meters_.push_back(make_simulated_meter(device_, SimulatedMeterKind::energy_counter));
  }
  double joules(const MeterWork& iterations) {
    const double seconds = static_cast<double>(iterations.end_ns - iterations.begin_ns) * 1e-9;
    EXPECT_NEAR(static_cast<double>(iterations.runs) * iterations.each_s / seconds, 1, 1e-6) << "never idle";
    return records_.front().mean_w(iterations.begin_ns, iterations.end_ns).value() * iterations.each_s;
  }

  SimulatedDevice device_{parse_simulated_spec("seed=4,drift=0,noise=0,power_limit=1000")};
  KernelTable table_ = kernel_table(device_.record());
  std::vector<std::unique_ptr<Meter>> meters_;
  std::vector<MeterRecord> records_;
};

TEST_F(MeterBlockDifference, IsTheEnergyOfTheLaunches) {
  records_ = records_under_load(meters_);
  measure_meter_block(device_, table_, {}, 1e-3, records_, {30, 1});  // other work comes first: it is warm
  const MeterBlock found = measure_meter_block(device_, table_, {0, 1, 2}, 1e-3, records_, {0.5, 4});
  ASSERT_EQ(found.error, "");
  ASSERT_EQ(found.with.size(), 2U);
  ASSERT_EQ(found.without.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found.without[0].end_ns - found.without[0].begin_ns) * 1e-9, 8, 0.2);
  const std::vector<double> truth_j = energy_truth_of(device_.program()).kernel_j(table_);
  const double true_j = truth_j[0] + truth_j[1] + truth_j[2];
  const double with_j = (joules(found.with[0]) + joules(found.with[1])) / 2;
  EXPECT_NEAR(with_j - joules(found.without[0]), true_j, 1e-3 * with_j);
  EXPECT_GT(true_j, 5e-3 * with_j);
}

}  // namespace
}  // namespace kjoule
