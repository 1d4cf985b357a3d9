#include "cuda/memory/page_set.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {

namespace {

PageSet set(std::initializer_list<unsigned> pages) {
  PageSet set;
  for (const unsigned page : pages) set.add(page);
  return set;
}

TEST(PageSet, KeepsNeighboursAsOneRun) {
  EXPECT_EQ(1u, set({3, 4, 5}).runs().size());
  EXPECT_EQ(2u, set({3, 5}).runs().size());
  EXPECT_EQ(PageSet::range(3, 6), set({3, 4, 5}));
  EXPECT_TRUE(PageSet::range(3, 3).empty());
}

TEST(PageSet, ContainsItsPagesOnly) {
  const PageSet some = set({1, 2, 7});
  std::vector<unsigned> found;
  for (unsigned page = 0; page < 10; ++page)
    if (some.contains(page)) found.push_back(page);
  EXPECT_EQ((std::vector<unsigned>{1, 2, 7}), found);
  EXPECT_EQ(3u, some.size());
  EXPECT_FALSE(PageSet().contains(0));
}

TEST(PageSet, UnitesSetsThatOverlapOrTouch) {
  EXPECT_EQ(PageSet::range(0, 9), unite(PageSet::range(4, 9), PageSet::range(0, 5)));
  EXPECT_EQ(PageSet::range(0, 4), unite(set({0, 2}), set({1, 3})));
  EXPECT_EQ(set({1}), unite(set({1}), {}));
  EXPECT_EQ(PageSet::range(0, 9), unite(PageSet::range(0, 9), PageSet::range(3, 5)));
}

TEST(PageSet, SubtractsFromTheBeginTheMiddleAndTheEndOfARun) {
  EXPECT_EQ(set({0, 1, 4, 5, 8}), subtract(PageSet::range(0, 10), set({2, 3, 6, 7, 9})));
  EXPECT_EQ(set({5}), subtract(set({1, 2, 5}), PageSet::range(0, 5)));
  EXPECT_EQ(set({1, 9}), subtract(set({1, 9}), set({3})));
  EXPECT_TRUE(subtract(set({1, 9}), PageSet::range(0, 10)).empty());
  EXPECT_EQ(set({0, 9}), subtract(unite(PageSet::range(0, 4), PageSet::range(6, 10)), PageSet::range(1, 9)));
}

}  // namespace

}  // namespace kjoule::cuda
