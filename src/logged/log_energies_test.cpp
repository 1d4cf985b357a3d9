#include "logged/log_energies.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kjoule {
namespace {

/// Returns a kernel of which `runs` launches of 1 ms each took `seconds` at a power that is known to 2 %.
KernelEnergy kernel(const std::string& group, int64_t count, double watts, double seconds, int64_t runs) {
  KernelEnergy kernel;
  kernel.name = "k";
  kernel.group = group;
  kernel.count = count;
  kernel.single_us = 1000;
  kernel.timed.energy.window = {0, static_cast<int64_t>(seconds * 1e9)};
  kernel.timed.energy.joules = Interval{watts * seconds, 0.02 * watts * seconds};
  kernel.timed.energy.average_w = watts;
  kernel.timed.runs = runs;
  return kernel;
}

TEST(KernelSum, AddsErrorsOfAGroupAndSquaresOfOthers) {
  const std::vector<KernelEnergy> apart{kernel("", 3, 100, 2, 1000), kernel("", 4, 100, 2, 1000)};
  const KernelSum sum = sum_of(apart);
  EXPECT_NEAR(sum.joules->value, 0.2 * 7, 1e-12);
  EXPECT_NEAR(sum.joules->half_width, 0.004 * std::hypot(3, 4), 1e-12);
  EXPECT_NEAR(*sum.covered_share, 1, 1e-12);
  const KernelSum together = sum_of({kernel("g", 3, 100, 2, 1000), kernel("g", 4, 100, 2, 1000)});
  EXPECT_NEAR(together.joules->half_width, 0.004 * 7, 1e-12);
}

TEST(KernelSum, KernelsWithoutEnergyAreNotCounted) {
  KernelEnergy unknown = kernel("", 1, 100, 2, 1000);
  unknown.timed.energy.joules.reset();
  const KernelSum sum = sum_of({kernel("", 3, 100, 2, 1000), unknown});
  EXPECT_EQ(sum.kernels, 2U);
  EXPECT_EQ(sum.measured, 1U);
  EXPECT_NEAR(*sum.covered_share, 0.75, 1e-12);
  EXPECT_FALSE(sum_of({unknown}).joules);
}

TEST(KernelEnergy, BusyShareIsThePartOfTheWindowInWhichItRan) {
  EXPECT_NEAR(*kernel("", 1, 100, 2, 1000).busy_share(), 0.5, 1e-12);
  EXPECT_FALSE(kernel("g", 1, 100, 2, 1000).busy_share()) << "others of the group ran, too";
}

TEST(CompareInContext, MultipliesThePowerInTheLogByTheTimeInContext) {
  LogEnergies energies;
  energies.kernels = {kernel("", 2, 300, 2, 1000), kernel("", 1, 150, 2, 1000)};
  energies.kernels[0].in_context_us = Interval{2000, 10};
  energies.kernels[1].in_context_us = Interval{1000, 10};
  energies.in_context = ContextTimes{{3000, 15}, {3000, 6}};
  energies.whole_block = WholeBlock{kernel("", 1, 250, 3, 1000).timed, 3000};
  const auto compared = compare_in_context(energies);
  EXPECT_NEAR(compared->sum_j.value, 300 * 0.002 + 150 * 0.001, 1e-12);
  EXPECT_NEAR(compared->whole_j.value, 250 * 0.003, 1e-12);
  EXPECT_NEAR(compared->error(), 0, 1e-12);
  EXPECT_TRUE(compared->agrees());
  energies.whole_block->timed.energy.average_w = 275;
  EXPECT_FALSE(compare_in_context(energies)->agrees());
  energies.kernels[0].timed.energy.joules.reset();
  EXPECT_FALSE(compare_in_context(energies)) << "one kernel has no power";
}

}  // namespace
}  // namespace kjoule
