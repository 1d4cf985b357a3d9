#include "torch/nvtx_stopwatch.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule::runner {
namespace {

using Ranges = std::vector<std::string>;

/// Runs one pass and returns the number of open ranges before each of the stops, and after the last one.
std::vector<size_t> pass(NvtxStopwatch& span, int stops) {
  std::vector<size_t> open;
  span.start();
  span.start();
  for (int i = 0; i < stops; ++i) {
    open.push_back(open_ranges().size());
    span.stop();
  }
  open.push_back(open_ranges().size());
  span.end_pass();
  return open;
}

TEST(NvtxStopwatch, EndsAtTheLastOfAsManyStopsAsTheFirstPassHad) {
  NvtxStopwatch span("it");
  EXPECT_EQ(pass(span, 2), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(pass(span, 2), (std::vector<size_t>{1, 1, 0}));
  EXPECT_EQ(pass(span, 2), (std::vector<size_t>{1, 1, 0}));
  EXPECT_THROW(pass(span, 3), Error);
}

TEST(NvtxStopwatch, WithoutWorkIsAnError) {
  NvtxStopwatch span("it");
  EXPECT_THROW(span.end_pass(), Error);
}

TEST(NvtxRange, LiesWithinThoseThatWereOpen) {
  const NvtxRange outer("outer");
  {
    const NvtxRange inner("inner");
    EXPECT_EQ(open_ranges(), (Ranges{"outer", "inner"}));
  }
  EXPECT_EQ(open_ranges(), Ranges{"outer"});
}

}  // namespace
}  // namespace kjoule::runner
