#include "measure/time/stamp_effect.hpp"

#include <gtest/gtest.h>

#include "measure/time/stamp_places.hpp"
#include "simulated/random.hpp"

namespace kjoule {
namespace {

constexpr uint32_t kLaunches = 100;

/// Launch times between dense stamps, and graphs with sparse stamps, of a device on which stamps change times
/// in proportion to their density.
struct DisturbedDevice {
  FittedTimes dense;
  std::vector<bool> switches;
  std::vector<StampedGraph> sparse;
  double dense_density = 0.4;

  /// With `dense_density` stamps per launch, launches take longer by the share `slower`, and launches that
  /// switch engines take `cheaper_s` less. Distances vary by up to `noise_s`, and for each engine switch by
  /// up to `switch_noise_s` more.
  DisturbedDevice(double slower, double cheaper_s, double noise_s, double switch_noise_s = 0)
      : switches(kLaunches, false) {
    Draws draws(7);
    for (const uint32_t launch : {10, 50, 51, 80}) switches[launch] = true;
    std::vector<double> unbroken;
    for (uint32_t i = 0; i < kLaunches; ++i) {
      unbroken.push_back(draws.between(2e-6, 20e-6));
      dense.seconds.push_back(unbroken.back() * (1 + slower) - (switches[i] ? cheaper_s : 0));
      dense.stamp_cost_s.push_back(0.65e-6);
      dense.variance_s2.push_back(switches[i] ? switch_noise_s * switch_noise_s / 3 : 0);
    }
    for (uint64_t graph = 0; graph < 20; ++graph) {
      StampedGraph sparse_graph;
      sparse_graph.stamped_after =
          draw_stamp_places(kLaunches, 4 * kLaunches, 64, std::vector<bool>(kLaunches, true), graph);
      sparse.push_back(sparse_graph);
    }
    dense.stamp_variance_s2 = noise_s * noise_s / 3;
    const double few = stamps_per_launch(pointers()) / dense_density;  // of the effect at the dense graphs
    for (StampedGraph& graph : sparse)
      for (size_t i = 0; i + 1 < graph.stamped_after.size(); ++i) {
        double seconds = dense.stamp_cost_s.front() + noise_s * draws.between(-1, 1);
        for (uint32_t place = graph.stamped_after[i] + 1; place <= graph.stamped_after[i + 1]; ++place) {
          const uint32_t launch = place % kLaunches;
          seconds += unbroken[launch] * (1 + slower * few);
          if (switches[launch]) seconds += switch_noise_s * draws.between(-1, 1) - cheaper_s * few;
        }
        graph.mean_s.push_back(seconds);
        graph.spread_s.push_back(0);
      }
  }

  std::vector<const StampedGraph*> pointers() const {
    std::vector<const StampedGraph*> all;
    for (const StampedGraph& graph : sparse) all.push_back(&graph);
    return all;
  }
  StampEffect found() const { return find_stamp_effect(dense, switches, dense_density, pointers()); }
};

TEST(StampEffect, IsFoundFromGraphsWithFewStamps) {
  const StampEffect effect = DisturbedDevice(0.004, 1e-6, 0).found();
  EXPECT_NEAR(effect.scale, 1 / 1.004, 2e-5);
  EXPECT_NEAR(effect.engine_switch_s, 1e-6, 0.02e-6);
  EXPECT_NEAR(effect.unbroken_s(10e-6, false), 10e-6 / 1.004, 1e-9);
  EXPECT_NEAR(effect.unbroken_s(10e-6, true), 10e-6 / 1.004 + 1e-6, 20e-9);
}

TEST(StampEffect, IsNoneOfADeviceThatStampsDoNotDisturb) {
  const StampEffect effect = DisturbedDevice(0, 0, 50e-9).found();
  EXPECT_NEAR(effect.scale, 1, 1e-4);
  EXPECT_NEAR(effect.engine_switch_s, 0, 0.1e-6);
}

TEST(StampEffect, OfOrdinaryLaunchesIsKnownWhereSwitchesScatter) {
  const StampEffect effect = DisturbedDevice(0.004, 1e-6, 50e-9, 5e-6).found();
  EXPECT_NEAR(effect.scale, 1 / 1.004, 4e-4);
}

TEST(StampEffect, NeedsNoLaunchThatSwitchesEngines) {
  DisturbedDevice device(0.004, 0, 0);
  device.switches.assign(kLaunches, false);
  const StampEffect effect = device.found();
  EXPECT_NEAR(effect.scale, 1 / 1.004, 2e-5);
  EXPECT_EQ(effect.engine_switch_s, 0);
}

TEST(StampEffect, IsSmallWhereScaleAndSwitchesCannotBeToldApart) {
  DisturbedDevice device(0.004, 0, 0);
  device.switches.assign(kLaunches, true);
  const double mean_s = 11e-6;
  for (double& seconds : device.dense.seconds) seconds = mean_s;  // every stretch says the same of both
  for (StampedGraph& graph : device.sparse)
    for (size_t i = 0; i < graph.mean_s.size(); ++i)
      graph.mean_s[i] = 0.65e-6 + 0.996 * mean_s * (graph.stamped_after[i + 1] - graph.stamped_after[i]);
  const StampEffect effect = device.found();
  EXPECT_NEAR(effect.unbroken_s(mean_s, true), 0.9957 * mean_s, 0.0005 * mean_s);
  EXPECT_GT(effect.scale, 0.99);
  EXPECT_LT(std::abs(effect.engine_switch_s), 0.1e-6);
}

TEST(StampEffect, IsNoneWithoutSparseGraphs) {
  const DisturbedDevice device(0.004, 0, 0);
  EXPECT_EQ(find_stamp_effect(device.dense, device.switches, 0.4, {}).scale, 1);
}

}  // namespace
}  // namespace kjoule
