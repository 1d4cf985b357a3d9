#include "measure/alone.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kjoule {
namespace {

TEST(AloneReading, KeepsAnInfiniteHalfWidthAsNull) {
  AloneReading reading;
  reading.each_s = {1e-6, std::numeric_limits<double>::infinity()};
  reading.iterations = 3;
  const AloneReading read =
      read_fields<AloneReading>(nlohmann::json::parse(write_fields(reading).dump()), "alone");
  EXPECT_EQ(read.each_s.value, 1e-6);
  EXPECT_TRUE(std::isinf(read.each_s.half_width));
  EXPECT_EQ(read.iterations, 3);
}

}  // namespace
}  // namespace kjoule
