#include "measure/energy/meter_block.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "measure/meters/meter_record.hpp"
#include "simulated/device.hpp"
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
  for (const std::vector<uint32_t>& kernels : {std::vector<uint32_t>{}, {0}, {1, 2}}) {
    const MeterBlock block = measure_meter_block(device, table, kernels, 1e-3, records, {0.2, 1});
    EXPECT_EQ(block.error, "");
    EXPECT_EQ(block.is_whole(), kernels.empty());
    const double seconds = static_cast<double>(block.end_ns - block.begin_ns) * 1e-9;
    EXPECT_NEAR(seconds, 1, 0.15);
    const double busy = static_cast<double>(block.runs) * block.each_s / seconds;
    EXPECT_LE(busy, 1 + 1e-6);
    EXPECT_GT(busy, kernels.empty() ? 0.8 : 1 - 1e-6) << "only restoring memory is no run of the whole";
    EXPECT_GT(records.front().mean_w(block.begin_ns, block.end_ns).value(), 50);
  }
}

}  // namespace
}  // namespace kjoule
