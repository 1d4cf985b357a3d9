#include "measure/energy/meter_difference.hpp"

#include <gtest/gtest.h>

#include "measure/energy/meter_block.hpp"
#include "simulated/device.hpp"
#include "simulated/energy_truth.hpp"
#include "simulated/meter.hpp"

namespace kjoule {
namespace {

class Difference : public testing::Test {
 protected:
  Difference() {
    device_.begin_round(0);
    meters_.push_back(make_simulated_meter(device_, SimulatedMeterKind::energy_counter));
  }
  double joules(const MeterIterations& iterations) {
    const double seconds = static_cast<double>(iterations.end_ns - iterations.begin_ns) * 1e-9;
    EXPECT_NEAR(static_cast<double>(iterations.runs) * iterations.each_s / seconds, 1, 1e-6) << "never idle";
    return records_.front().mean_w(iterations.begin_ns, iterations.end_ns).value() * iterations.each_s;
  }

  SimulatedDevice device_{parse_simulated_spec("seed=4,drift=0,noise=0,power_limit=1000")};
  KernelTable table_ = kernel_table(device_.record());
  std::vector<std::unique_ptr<Meter>> meters_;
  std::vector<MeterRecord> records_;
};

TEST_F(Difference, IsTheEnergyOfTheLaunches) {
  records_ = records_under_load(meters_);
  measure_meter_block(device_, table_, {}, 1e-3, records_, {30, 1});  // other work comes first: it is warm
  const MeterDifference found = measure_meter_difference(device_, table_, {0, 1, 2}, records_, {0.5, 4});
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
