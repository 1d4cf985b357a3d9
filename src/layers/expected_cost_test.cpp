#include "layers/expected_cost.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"
#include "layers/network_file.hpp"
#include "layers/shipped_networks.hpp"

namespace kjoule {
namespace {

Network float_network(const std::string& name, const Sizes& sizes = {}) {
  return read_network(shipped_network(name).yaml, name, sizes, "Float");
}

constexpr Roof kRoof{1e11, 1e10};

TEST(ExpectedCost, MemoryContainsTheWeightsOfTheLayersThatAreRun) {
  // Two of the 64 blocks are run. Each has 12 x width^2 weights of 4 bytes; the token embedding and the head
  // have 50272 x width weights each.
  const double width = 9216, weights = 4 * (2 * 12 * width * width + 2 * 50272 * width);
  const double bytes = least_memory_bytes(float_network("opt-66b-decode", {{"batch", 1}}));
  EXPECT_GT(bytes, weights);
  EXPECT_LT(bytes, 1.1 * weights);
  EXPECT_GT(least_memory_bytes(float_network("opt-66b-decode", {{"batch", 64}})), 2 * weights);
}

TEST(ExpectedCost, TooLittleMemoryIsAnErrorWithWhatIsNeeded) {
  const Network opt = float_network("opt-66b-prefill");
  refuse_too_large(opt, least_memory_bytes(opt));
  try {
    refuse_too_large(opt, 4e9);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.line().starts_with("opt-66b-prefill needs at least ")) << error.line();
    EXPECT_NE(error.line().find("GB of memory on the CPU, but only 4.0 GB are available; choose a smaller "
                                "--batch or smaller sizes"),
              std::string::npos)
        << error.line();
  }
}

TEST(ExpectedCost, SharesAreThoseOfTheLeastTimes) {
  const Network own = read_network(
      "name: n\nlayers:\n  - {name: product, kind: matmul, M: 1000, K: 1000, N: 1000}\n"
      "  - {name: act, kind: relu, shape: [1000, 1000]}\n",
      "n", {}, "Float");
  // 2 GFLOP at 100 GFLOP/s, and 8 MB at 10 GB/s
  EXPECT_DOUBLE_EQ(least_iteration_s(own, kRoof), 0.02 + 0.0008);
  const std::vector<double> shares = layer_shares(own, kRoof);
  EXPECT_DOUBLE_EQ(shares.at(0) / shares.at(1), 25);
  EXPECT_DOUBLE_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1);
  EXPECT_EQ(layer_shares(own, {}), (std::vector<double>{0.5, 0.5}));
}

TEST(ExpectedCost, OnlyALongMeasurementHasAWarning) {
  const Network opt = float_network("opt-66b-prefill");
  EXPECT_EQ(long_measurement_text(opt, {0.1, false}), "");
  const std::string text = long_measurement_text(opt, {90, true});
  EXPECT_TRUE(text.starts_with("one iteration of opt-66b-prefill takes at least 1 min 30 s on this CPU ("))
      << text;
  EXPECT_NE(text.find("its measurement at least 30 min 00 s"), std::string::npos) << text;
}

}  // namespace
}  // namespace kjoule
