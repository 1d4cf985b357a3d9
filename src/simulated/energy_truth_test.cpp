#include "simulated/energy_truth.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "simulated/stream.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

SimulatedProgram program_of(const std::string& spec) {
  return make_simulated_program(parse_simulated_spec(spec));
}

TEST(EnergyTruth, IsTheSumOfItsParts) {
  const EnergyTruth truth = energy_truth_of(program_of("seed=3"));
  EXPECT_NEAR(std::accumulate(truth.launch_j.begin(), truth.launch_j.end(), 0.0) / truth.whole_j, 1, 1e-12);
  EXPECT_GT(*std::min_element(truth.launch_j.begin(), truth.launch_j.end()), 0);
  EXPECT_NEAR(truth.whole_w * truth.whole_s / truth.whole_j, 1, 1e-12);
  KernelTable table;
  table.kernels.resize(2);
  for (LaunchIndex i = 0; i < truth.launch_j.size(); ++i) table.kernels[i % 2].places.push_back(i);
  const std::vector<double> joules = truth.kernel_j(table);
  EXPECT_NEAR((joules.at(0) + joules.at(1)) / truth.whole_j, 1, 1e-12);
}

TEST(EnergyTruth, IsLikeAnH200s) {
  double least_w = 1000, most_w = 0, most_of_all_w = 0;
  for (int seed = 1; seed <= 100; ++seed) {
    const SimulatedProgram program = program_of(fmt::format("seed={}", seed));
    const EnergyTruth truth = energy_truth_of(program);
    least_w = std::min(least_w, truth.whole_w);
    most_w = std::max(most_w, truth.whole_w);
    SimulatedStream stream(program);
    for (int iteration = 0; iteration < 2; ++iteration)
      for (LaunchIndex i = 0; i < program.launches.size(); ++i) {
        const SimulatedStream::Parts parts = stream.replay_launch(i);
        const double launch_w = program.power.idle_w + parts.dynamic_j() / parts.body_s;
        if (iteration == 1) most_of_all_w = std::max(most_of_all_w, launch_w);
      }
    EXPECT_EQ(truth.clock_hz, 1.98e9);
    EXPECT_NEAR(truth.whole_s / truth_of(program).whole_s, 1, 1e-12);
    EXPECT_NEAR(truth.temperature_c, program.power.warm_c, 0.2) << seed;
  }
  EXPECT_NEAR(least_w, 260, 15);
  EXPECT_NEAR(most_w, 655, 15);
  EXPECT_NEAR(most_of_all_w, 950, 0.1);
}

TEST(EnergyTruth, IsTheSameHoweverTheSpecDisturbsIt) {
  const EnergyTruth usual = energy_truth_of(program_of("seed=8"));
  for (const char* spec : {"seed=8,drift=0", "seed=8,meter=none", "seed=8,fail=3", "seed=8,power_limit=690"})
    EXPECT_EQ(energy_truth_of(program_of(spec)).launch_j, usual.launch_j) << spec;
}

TEST(EnergyTruth, HoldsThePowerLimitByALowerClock) {
  const EnergyTruth usual = energy_truth_of(program_of("seed=17"));
  const EnergyTruth limited = energy_truth_of(program_of("seed=17,power_limit=450"));
  EXPECT_GT(usual.whole_w, 600);
  EXPECT_NEAR(limited.whole_w, 450, 1e-6);
  EXPECT_LT(limited.clock_hz, 1.9e9);
  EXPECT_LT(limited.temperature_c, usual.temperature_c);
  EXPECT_LT(limited.whole_j, usual.whole_j);
  EXPECT_GT(limited.whole_s, usual.whole_s);
}

}  // namespace
}  // namespace kjoule
