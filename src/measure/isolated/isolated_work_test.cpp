#include "measure/isolated/isolated_work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace kjoule
