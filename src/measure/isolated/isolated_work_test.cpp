#include "measure/isolated/isolated_work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "simulated/device.hpp"

namespace kjoule {
namespace {

TEST(IsolatedWorkReading, KeepsAnInfiniteHalfWidthAsNull) {
  IsolatedWorkReading reading;
  reading.each_s = {1e-6, std::numeric_limits<double>::infinity()};
  reading.iterations = 3;
  const IsolatedWorkReading read =
      read_fields<IsolatedWorkReading>(nlohmann::json::parse(write_fields(reading).dump()), "isolated_work");
  EXPECT_EQ(read.each_s.value, 1e-6);
  EXPECT_TRUE(std::isinf(read.each_s.half_width));
  EXPECT_EQ(read.iterations, 3);
}

TEST(IsolatedWork, HasFewerRunsInAGraphThatWouldTakeLongerThanTheLimit) {
  SimulatedDevice device(parse_simulated_spec("seed=2,launches=20"));
  device.record();
  IsolatedWorkOptions options;
  options.window = {0, 0};
  const auto read = [&] { return measure_isolated_work(device, {{0}}, {}, options); };
  const IsolatedWorkReading usual = read();
  EXPECT_EQ(usual.iterations, 100);
  options.most_graph_s = 3.5 * usual.each_s.value;
  EXPECT_EQ(read().iterations, 3);
  options.most_graph_s = 0.1 * usual.each_s.value;
  EXPECT_EQ(read().iterations, 1);
}

}  // namespace
}  // namespace kjoule
