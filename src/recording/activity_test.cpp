#include "recording/activity.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "recording/sequence_match.hpp"

namespace kjoule {
namespace {

Activity kernel(const std::string& name, uint64_t stream, int64_t begin_ns, int64_t end_ns) {
  return {ActivityKind::kernel, name, stream, begin_ns, end_ns};
}

struct Case {
  std::vector<RecordedOperation> launches;
  std::vector<Activity> activities;

  void launch(const std::string& name, uint64_t stream) {
    launches.push_back({ActivityKind::kernel, name, stream});
    const int64_t begin_ns = 1000 + 10 * static_cast<int64_t>(launches.size());
    activities.push_back(kernel(name, stream, begin_ns, begin_ns + 8));
  }
  std::vector<std::string> differences() const { return audit(launches, activities).differences; }
};

Case example() {
  Case example;
  for (const char* name : {"fill", "gemm", "add", "gemm", "add", "norm"}) example.launch(name, 7);
  for (const char* name : {"copy_kernel", "gemm"}) example.launch(name, 8);
  return example;
}

using Lines = std::vector<std::string>;

TEST(Audit, FindsNoDifferenceWhereThereIsNone) {
  Case same = example();
  std::reverse(same.activities.begin(), same.activities.end());  // records come in any order
  const Audit result = audit(same.launches, same.activities);
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.launches, 8u);
  EXPECT_EQ(result.activities, 8u);
  EXPECT_TRUE(audit({}, {}).equal());
}

TEST(Audit, NamesWhatIsMissingOrExtra) {
  Case missing = example();
  missing.activities.erase(missing.activities.begin() + 3);
  EXPECT_EQ(missing.differences(), (Lines{"stream 7: launch 3 (gemm) is missing in the device's list"}));

  Case extra = example();
  extra.launches.erase(extra.launches.begin() + 5);
  EXPECT_EQ(extra.differences(), (Lines{"stream 7: activity 5 (norm) is missing in the recording"}));

  Case other = example();
  other.activities[2].name = "mul";
  EXPECT_EQ(other.differences(), (Lines{"stream 7: launch 2 (add) is missing in the device's list",
                                        "stream 7: activity 2 (mul) is missing in the recording"}));
}

TEST(Audit, NamesWhatRanElsewhereOrInAnotherOrder) {
  Case elsewhere = example();
  elsewhere.activities[0].stream = 8;
  EXPECT_EQ(elsewhere.differences(), (Lines{"stream 7: launch 0 (fill) ran on stream 8 instead"}));

  Case order = example();
  std::swap(order.activities[4].name, order.activities[5].name);
  ASSERT_EQ(order.differences().size(), 1u);
  EXPECT_NE(order.differences()[0].find("ran in another order than recorded"), std::string::npos);
}

TEST(Audit, ComparesMangledWithReadableNames) {
  EXPECT_EQ(readable_name("_Z4fillIfLi4EEvPT_"), "void fill<float, 4>(float*)");
  EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(readable_name("nvjet_hsh_64x8"), "nvjet_hsh_64x8");
  EXPECT_TRUE(audit({{ActivityKind::kernel, "_Z4fillIfLi4EEvPT_", 1}},
                    {kernel("void fill<float, 4>(float*)", 1, 1, 2)})
                  .equal());
}

TEST(Audit, ComparesCopiesByKindAndSizeNotByTheirDescription) {
  const std::vector<RecordedOperation> launches = {{ActivityKind::memcpy, "cuMemcpyHtoDAsync", 1, 400},
                                                   {ActivityKind::memset, "", 1, 4}};
  std::vector<Activity> activities = {{ActivityKind::memcpy, "Memcpy HtoD", 1, 1, 2, 400},
                                      {ActivityKind::memset, "Memset", 1, 3, 4, 4}};
  EXPECT_TRUE(audit(launches, activities).equal());
  activities[0].bytes = 404;
  EXPECT_EQ(audit(launches, activities).differences,
            (Lines{"stream 1: launch 0 (memcpy of 400 bytes) is missing in the device's list",
                   "stream 1: activity 0 (memcpy of 404 bytes) is missing in the recording"}));
  activities[0].bytes = 0;  // then sizes are not known
  EXPECT_TRUE(audit(launches, activities).equal());
  activities[0].kind = ActivityKind::memset;
  EXPECT_FALSE(audit(launches, activities).equal());
}

TEST(Audit, KnowsGraphNodesByTheirIds) {
  std::vector<RecordedOperation> launches = {{ActivityKind::kernel, "a", 1, 0, 11},
                                             {ActivityKind::kernel, "a", 1, 0, 12},
                                             {ActivityKind::kernel, "b", 1, 0, 13}};
  std::vector<Activity> activities = {kernel("b", 20, 1, 2), kernel("a", 1, 2, 3), kernel("a", 21, 1, 3)};
  activities[0].graph_node = 13;
  activities[1].graph_node = 12;
  activities[2].graph_node = 11;
  EXPECT_TRUE(audit(launches, activities).equal());
  activities[2].graph_node = 12;
  EXPECT_EQ(audit(launches, activities).differences,
            (Lines{"stream 1: launch 0 (a, graph node 11) is missing in the device's list",
                   "stream 21: activity 2 (a, graph node 12) is missing in the recording"}));
}

TEST(Audit, TellsOfMissingTimes) {
  Case none = example();
  none.activities[7].begin_ns = none.activities[7].end_ns = 0;
  EXPECT_FALSE(audit(none.launches, none.activities).equal());
}

TEST(Audit, SaysHowManyMoreThereAre) {
  Case many;
  for (int i = 0; i < 3000; ++i) many.launch(fmt::format("k{}", i), 1);
  many.activities.clear();
  const Audit result = audit(many.launches, many.activities);
  EXPECT_EQ(result.differences_found, 3000u);
  ASSERT_EQ(result.differences.size(), Audit::kMostListed + 1);
  EXPECT_EQ(result.differences.back(), "and 2950 more differences");
}

RC_GTEST_PROP(Audit, CountsEveryLaunchThatWasDropped, ()) {
  Case dropped;
  const auto launches = *rc::gen::inRange<size_t>(1, 200);
  for (size_t i = 0; i < launches; ++i)
    dropped.launch(fmt::format("k{}", *rc::gen::inRange(0, 5)), *rc::gen::inRange<uint64_t>(1, 4));
  size_t lost = 0;
  for (size_t i = launches; i-- > 0;) {
    if (*rc::gen::inRange(0, 6) != 0) continue;
    dropped.activities.erase(dropped.activities.begin() + static_cast<std::ptrdiff_t>(i));
    ++lost;
  }
  const Audit result = audit(dropped.launches, dropped.activities);
  RC_ASSERT(result.differences_found == lost);
}

size_t longest_common(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t k = 1; k <= b.size(); ++k)
      best[i][k] = a[i - 1] == b[k - 1] ? best[i - 1][k - 1] + 1 : std::max(best[i - 1][k], best[i][k - 1]);
  return best[a.size()][b.size()];
}

RC_GTEST_PROP(MatchSequences, FindsALongestCommonSubsequence, ()) {
  const auto sequence = [] {
    return *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, 4));
  };
  const std::vector<uint32_t> a = sequence(), b = sequence();
  const auto pairs = match_sequences(a, b);
  RC_ASSERT(pairs.size() == longest_common(a, b));
  for (size_t i = 0; i < pairs.size(); ++i) {
    RC_ASSERT(a[pairs[i].first] == b[pairs[i].second]);
    if (i == 0) continue;
    RC_ASSERT(pairs[i].first > pairs[i - 1].first);
    RC_ASSERT(pairs[i].second > pairs[i - 1].second);
  }
}

TEST(TimelineTimes, AreDurationsAndGapsBeforeThem) {
  const std::vector<Activity> activities = {kernel("b", 1, 130, 180), kernel("a", 1, 100, 120),
                                            kernel("c", 2, 170, 175), kernel("d", 1, 200, 210)};
  const auto times = timeline_times(activities);
  EXPECT_EQ(times[0].duration_ns, 50);
  EXPECT_EQ(times[0].gap_ns, 10);
  EXPECT_EQ(times[1].gap_ns, 0);
  EXPECT_EQ(times[2].gap_ns, -10);
  EXPECT_EQ(times[2].total_ns(), -5) << "it ends within its predecessor";
  EXPECT_EQ(times[3].gap_ns, 25);
  const TimelineTotals totals = timeline_totals(activities);
  EXPECT_EQ(totals.span_ns, 110);
  EXPECT_EQ(totals.busy_ns, 80);
  EXPECT_EQ(totals.work_ns, 85);
  EXPECT_EQ(totals.idle_ns, 30);
  EXPECT_EQ(totals.overlap_ns, 5);
}

TEST(TimelineTimes, RefuseActivitiesWithoutTimes) {
  EXPECT_THROW(timeline_times({kernel("a", 1, 0, 0)}), Error);
  EXPECT_THROW(timeline_totals({kernel("a", 1, 20, 10)}), Error);
  EXPECT_TRUE(timeline_times({}).empty());
  EXPECT_EQ(timeline_totals({}).span_ns, 0);
}

RC_GTEST_PROP(TimelineTimes, AddUpToTheTimeline, ()) {
  std::vector<Activity> activities;
  for (size_t i = *rc::gen::inRange<size_t>(1, 60); i-- > 0;) {
    const auto begin_ns = *rc::gen::inRange<int64_t>(1, 500);
    activities.push_back(kernel("k", 1, begin_ns, begin_ns + *rc::gen::inRange<int64_t>(0, 50)));
  }
  int64_t total_ns = 0;
  for (const TimelineTime& time : timeline_times(activities)) total_ns += time.total_ns();
  const auto earlier = [](const Activity& a, const Activity& b) {
    return std::pair(a.begin_ns, a.end_ns) < std::pair(b.begin_ns, b.end_ns);
  };
  const auto [first, last] = std::minmax_element(activities.begin(), activities.end(), earlier);
  RC_ASSERT(total_ns == last->end_ns - first->begin_ns);
  const TimelineTotals totals = timeline_totals(activities);
  int64_t busy_ns = 0;
  for (int64_t t = 0; t < 600; ++t)
    busy_ns += std::any_of(activities.begin(), activities.end(),
                           [&](const Activity& a) { return a.begin_ns <= t && t < a.end_ns; });
  RC_ASSERT(totals.busy_ns == busy_ns);
  RC_ASSERT(totals.busy_ns + totals.idle_ns == totals.span_ns);
  RC_ASSERT(totals.work_ns - totals.overlap_ns == totals.busy_ns);
}

}  // namespace
}  // namespace kjoule
