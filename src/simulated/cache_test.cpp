#include "simulated/cache.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>

namespace kjoule {
namespace {

/// The definition: a list of bytes, the most recently used first.
class NaiveLru {
 public:
  explicit NaiveLru(uint64_t capacity) : capacity_(capacity) {}

  uint64_t touch(const ByteRange& range) {
    uint64_t missed = 0;
    for (uint64_t byte = range.begin; byte < range.end; ++byte) {
      const auto found = std::find(bytes_.begin(), bytes_.end(), byte);
      if (found != bytes_.end())
        bytes_.erase(found);
      else
        ++missed;
      bytes_.push_front(byte);
      if (bytes_.size() > capacity_) bytes_.pop_back();
    }
    return missed;
  }
  uint64_t resident_bytes() const { return bytes_.size(); }

 private:
  uint64_t capacity_;
  std::deque<uint64_t> bytes_;
};

TEST(RangeCache, KeepsWhatFits) {
  const std::vector<ByteRange> ranges = {{100, 140}, {200, 260}};
  RangeCache cache(100, ranges);
  EXPECT_EQ(cache.touch(0), 40u);
  EXPECT_EQ(cache.touch(1), 60u);
  EXPECT_EQ(cache.touch(0), 0u);
  EXPECT_EQ(cache.touch(1), 0u);
  EXPECT_EQ(cache.resident_bytes(), 100u);
}

TEST(RangeCache, EvictsTheOldestBytesOnly) {
  const std::vector<ByteRange> ranges = {{0, 40}, {100, 160}, {200, 210}};
  RangeCache cache(100, ranges);
  cache.touch(0);
  cache.touch(1);
  EXPECT_EQ(cache.touch(2), 10u) << "evicts 0 to 9";
  EXPECT_EQ(cache.touch(1), 0u);
  EXPECT_EQ(cache.touch(0), 40u) << "bytes 0 to 9 evict 10 to 19, which evict 20 to 29, and so on";
}

TEST(RangeCache, OverlapsCountOnce) {
  const std::vector<ByteRange> ranges = {{0, 100}, {50, 150}, {25, 75}};
  RangeCache cache(1000, ranges);
  EXPECT_EQ(cache.touch(2), 50u);
  EXPECT_EQ(cache.touch(0), 50u);
  EXPECT_EQ(cache.touch(1), 50u);
  EXPECT_EQ(distinct_bytes(ranges), 150u);
}

TEST(RangeCache, ARangeLargerThanTheCacheNeverHits) {
  const std::vector<ByteRange> ranges = {{0, 101}};
  RangeCache cache(100, ranges);
  EXPECT_EQ(cache.touch(0), 101u);
  EXPECT_EQ(cache.touch(0), 101u);
}

TEST(RangeCache, ClearedIsEmpty) {
  const std::vector<ByteRange> ranges = {{0, 50}, {20, 80}};
  RangeCache cache(100, ranges);
  cache.touch(0);
  cache.touch(1);
  cache.clear();
  EXPECT_EQ(cache.resident_bytes(), 0u);
  EXPECT_EQ(cache.touch(1), 60u);
}

TEST(RangeCache, EmptyRangesAndNoRangesAreHarmless) {
  RangeCache none(10, {});
  none.clear();
  const std::vector<ByteRange> ranges = {{5, 5}, {0, 10}};
  RangeCache cache(10, ranges);
  EXPECT_EQ(cache.touch(0), 0u);
  EXPECT_EQ(cache.touch(1), 10u);
}

RC_GTEST_PROP(RangeCache, IsLruToTheByte, ()) {
  const auto number = [](int low, int high) { return static_cast<uint64_t>(*rc::gen::inRange(low, high)); };
  const uint64_t capacity = number(0, 80);
  std::vector<ByteRange> ranges(number(1, 9));
  for (ByteRange& range : ranges) {
    range.begin = number(0, 60);
    range.end = range.begin + number(0, 40);
  }
  RangeCache cache(capacity, ranges);
  NaiveLru naive(capacity);
  const uint64_t touches = number(1, 120);
  for (uint64_t i = 0; i < touches; ++i) {
    const uint64_t range = number(0, static_cast<int>(ranges.size()));
    RC_ASSERT(cache.touch(range) == naive.touch(ranges[range]));
    RC_ASSERT(cache.resident_bytes() == naive.resident_bytes());
  }
}

}  // namespace
}  // namespace kjoule
