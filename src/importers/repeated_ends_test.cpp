#include "importers/repeated_ends.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace kjoule {
namespace {

RC_GTEST_PROP(RepeatedEnds, AreThoseOfTheDefinitionHoweverTheStepsAreCut, ()) {
  const size_t launches = *rc::gen::inRange<size_t>(1, 120);
  const uint64_t alphabet = *rc::gen::inRange<uint64_t>(1, 4), period = *rc::gen::inRange<uint64_t>(1, 20);
  std::vector<uint64_t> sequence(launches);
  for (size_t i = 0; i < launches; ++i) {
    const bool repeats = i >= period && *rc::gen::inRange(0, 30) > 0;
    sequence[i] = repeats ? sequence[i - period] : *rc::gen::inRange<uint64_t>(0, alphabet);
  }
  LaunchHistory history;
  for (const uint64_t shape : sequence) history.add(shape, 0, 0);
  const size_t window = *rc::gen::inRange<size_t>(1, launches + 1);

  RepeatedEnds ends(window);
  ends.start(launches, window);
  std::vector<RepeatedEnd> found;
  while (!ends.done()) {
    int64_t steps = *rc::gen::inRange<int64_t>(1, 8);
    while (const auto repeated = ends.next(history, steps)) found.push_back(*repeated);
  }
  size_t next = 0;
  for (size_t lag = 1; lag <= window / 2; ++lag) {
    size_t matched = 0;
    while (matched + lag < window &&
           sequence[launches - 1 - matched] == sequence[launches - 1 - matched - lag])
      ++matched;
    if (matched < lag) continue;
    RC_ASSERT(next < found.size());
    RC_ASSERT(found[next].lag == lag);
    RC_ASSERT(found[next].matched == matched);
    ++next;
  }
  RC_ASSERT(next == found.size());
}

TEST(LaunchHistory, KeepsTheLastLaunchesAndTheirPauses) {
  LaunchHistory history;
  history.add(1, 1, 100);
  history.add(1, 2, 350);
  history.add(2, 1, 340);
  history.add(1, 1, 9'000'000'000);
  EXPECT_EQ(history.shape_hash(0), history.shape_hash(1));
  EXPECT_NE(history.shape_hash(0), history.shape_hash(2));
  EXPECT_NE(history.arguments(0), history.arguments(1));
  EXPECT_EQ(history.arguments(0), history.arguments(3));
  EXPECT_EQ(history.gap_ns(0), 0u);
  EXPECT_EQ(history.gap_ns(1), 250u);
  EXPECT_EQ(history.gap_ns(2), 0u) << "clocks of two threads";
  EXPECT_EQ(history.gap_ns(3), UINT32_MAX);
  for (uint64_t i = 0; i < LaunchHistory::kCapacity; ++i) history.add(i, 0, 0);
  EXPECT_EQ(history.oldest(), 4u);
}

}  // namespace
}  // namespace kjoule
