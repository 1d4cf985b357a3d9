#include "measure/time/stamp_places.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(StampPlaces, MeetEveryGapAtEveryLaunch) {
  constexpr uint32_t kLaunches = 20;
  constexpr uint32_t kLargestGap = 6;
  std::set<std::pair<uint32_t, uint32_t>> met;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto places = draw_stamp_places(0, 100, kLargestGap, std::vector<bool>(kLaunches, true), seed);
    for (size_t i = 0; i + 1 < places.size(); ++i)
      met.emplace(places[i] % kLaunches, places[i + 1] - places[i]);
  }
  EXPECT_EQ(met.size(), kLaunches * kLargestGap);
}

TEST(StampPlaces, GapsAreEvenAndSuccessiveOnesIndependent) {
  constexpr uint32_t kLargestGap = 4;
  constexpr uint32_t kLast = 100000;
  const auto places = draw_stamp_places(0, kLast, kLargestGap, {true}, 5);
  std::vector<std::vector<int>> pairs(kLargestGap, std::vector<int>(kLargestGap));
  for (size_t i = 0; i + 3 < places.size(); ++i)
    ++pairs[places[i + 1] - places[i] - 1][places[i + 2] - places[i + 1] - 1];
  const double expected = static_cast<double>(places.size()) / (kLargestGap * kLargestGap);
  for (const auto& row : pairs)
    for (const int count : row) EXPECT_NEAR(count, expected, 0.1 * expected);
}

TEST(StampPlaces, TheLastOneIsNeverAfterTheAskedForUnlessItIsTheFirstOfAll) {
  const std::vector<bool> may_stamp = {false, true, true, false, false};
  EXPECT_EQ(last_stamp_place(2, may_stamp), 2u);
  EXPECT_EQ(last_stamp_place(4, may_stamp), 2u);
  EXPECT_EQ(last_stamp_place(5, may_stamp), 2u) << "in the iteration before";
  EXPECT_EQ(last_stamp_place(14, may_stamp), 12u);
  EXPECT_EQ(last_stamp_place(0, may_stamp), 1u);
  EXPECT_EQ(last_stamp_place(3, {false, false}), std::nullopt);
  EXPECT_EQ(last_stamp_place(3, {}), std::nullopt);
}

TEST(StampPlaces, AreTheSameForTheSameSeedEverywhere) {
  const std::vector<bool> all(7, true);
  EXPECT_EQ(draw_stamp_places(2, 500, 4, all, 9), draw_stamp_places(2, 500, 4, all, 9));
  EXPECT_NE(draw_stamp_places(2, 500, 4, all, 9), draw_stamp_places(2, 500, 4, all, 10));
  std::mt19937_64 words;  // the standard names its ten thousandth word: 9981545732273789042
  words.discard(9999);
  EXPECT_EQ(draw_below(words, 1000), 42u);
}

TEST(StampPlaces, EndWhereTheyAreTold) {
  EXPECT_EQ(draw_stamp_places(4, 4, 8, {true, true}, 1), (std::vector<uint32_t>{4}));
  EXPECT_EQ(draw_stamp_places(0, 3, 1, {true}, 1), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(draw_stamp_places(0, 3, 1, {false}, 1), (std::vector<uint32_t>{3}));
  EXPECT_EQ(draw_stamp_places(0, UINT32_MAX, UINT32_MAX, {true}, 1).back(), UINT32_MAX);
  EXPECT_THROW(draw_stamp_places(5, 4, 8, {true}, 1), Error);
  EXPECT_THROW(draw_stamp_places(0, 4, 0, {true}, 1), Error);
  EXPECT_THROW(draw_stamp_places(0, 4, 1, {}, 1), Error);
}

RC_GTEST_PROP(StampPlaces, RiseAndAreAllowed, ()) {
  const auto may_stamp = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<bool>>());
  const auto first = *rc::gen::inRange<uint32_t>(0, 100);
  const auto last = first + *rc::gen::inRange<uint32_t>(0, 100);
  const auto places = draw_stamp_places(first, last, *rc::gen::inRange<uint32_t>(1, 9), may_stamp,
                                        *rc::gen::arbitrary<uint64_t>());
  RC_ASSERT(places.front() >= first && places.back() == last);
  if (may_stamp[first % may_stamp.size()]) RC_ASSERT(places.front() == first);
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    RC_ASSERT(may_stamp[places[i] % may_stamp.size()]);
    RC_ASSERT(places[i] < places[i + 1]);
  }
}

}  // namespace
}  // namespace kjoule
