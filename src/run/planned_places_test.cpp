#include "run/planned_places.hpp"

#include <gtest/gtest.h>

#include <string>

#include "run/window_choice.hpp"

namespace kjoule {
namespace {

/// Returns the log of a run on one stream. Each letter is a launch of a kernel, and `.` is a wait of the
/// host.
RunLog log_of(const std::string& run, int64_t each_us) {
  RunLog log;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    const auto number = static_cast<uint32_t>(letter - 'a');
    const LaunchIdentity identity{static_cast<uint64_t>(letter), static_cast<uint64_t>(letter)};
    log.call_names.push_back({.of_call = true, .number = number, .name = {letter}, .identity = identity});
    log.operation_names.push_back(
        {.number = number, .name = {letter}, .grid = {1, 1, 1}, .block = {32, 1, 1}});
  }
  int64_t now_ns = 1000;
  uint32_t correlation = 0;
  for (const char letter : run) {
    if (letter == '.') {
      log.calls.push_back({.time_ns = now_ns, .kind = HostCallKind::synchronise});
      continue;
    }
    const auto name = static_cast<uint32_t>(letter - 'a');
    log.calls.push_back(
        {.time_ns = now_ns, .value = 1, .name = name, .correlation = ++correlation, .operations = 1});
    log.operations.push_back(
        {.begin_ns = now_ns, .end_ns = now_ns + each_us * 1000, .name = name, .correlation = correlation});
    now_ns += each_us * 1000 + 500;
  }
  return log;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

MeasuredKernels measured(char letter) {
  MeasuredKernels kernels;
  kernels.add(
      {{}, {}, {{{letter}, Tier::unknown, {letter}, {{"grid", {1, 1, 1}}, {"block", {32, 1, 1}}}}}, {}});
  return kernels;
}

TEST(UsualWindow, HasTenMillisecondsOrSixHundredLaunches) {
  EXPECT_EQ(usual_window(log_of(repeated("a", 100), 100)).least, 100U);
  EXPECT_EQ(usual_window(log_of(repeated("a", 100), 2)).least, 600U);
  EXPECT_EQ(usual_window(log_of(repeated("a", 100), 5000)).least, 8U);
}

TEST(UsualWindow, HasEdgesOfAMillisecondWhereLaunchesAreLong) {
  EXPECT_EQ(usual_window(log_of(repeated("a", 100), 2)).lead, WindowPlace::kEdge);
  EXPECT_EQ(usual_window(log_of(repeated("a", 100), 100)).lead, 10U);
  EXPECT_EQ(usual_window(log_of(repeated("a", 100), 5000)).tail, 4U);
}

TEST(PlanPlaces, SamplesTheTimeOfUnmeasuredKernelsSystematically) {
  const RunLog log = log_of(repeated("a", 4000) + repeated("b", 4000), 100);
  const auto places = plan_places(log, measured('a'), 4, 1);
  ASSERT_EQ(places.size(), 4U);
  for (size_t i = 0; i < places.size(); ++i) {
    const uint64_t begin = places[i].lead_first + places[i].lead;
    EXPECT_GE(begin + places[i].least, 4000 + 1000 * i);
    EXPECT_LT(begin, 4000 + 1000 * (i + 1));
  }
}

TEST(PlanPlaces, BeginsWhereTheHostWaited) {
  const RunLog log = log_of(repeated(repeated("a", 30) + ".", 200), 100);
  for (const WindowPlace& place : plan_places(log, {}, 5, 1))
    EXPECT_EQ((place.lead_first + place.lead) % 30, 0U);
}

TEST(PlanPlaces, PlansNothingWhereAllIsMeasured) {
  EXPECT_TRUE(plan_places(log_of(repeated("a", 100), 100), measured('a'), 4, 1).empty());
}

TEST(PlanPlaces, WindowsDoNotOverlap) {
  const auto places = plan_places(log_of(repeated("ab", 300), 100), {}, 12, 1);
  ASSERT_GE(places.size(), 2U);
  for (size_t i = 1; i < places.size(); ++i)
    EXPECT_GE(places[i].lead_first, places[i - 1].lead_first + places[i - 1].lead + places[i - 1].most);
}

TEST(WindowChoice, TakesUnmeasuredLoopsFirstAndThenAnyPlace) {
  const RunLog log = log_of(repeated("abcd.", 400) + repeated("efgh.", 400), 20);
  WindowChoice choice(1);
  const NextWindow loops = choice.next(log, measured('a'));
  EXPECT_EQ(loops.search.loops.size(), 2U);
  EXPECT_EQ(loops.loops.size(), 2U);
  EXPECT_FALSE(loops.search.place);
  choice.next(log, {});
  const NextWindow anywhere = choice.next(log, {});
  EXPECT_TRUE(anywhere.search.loops.empty()) << "both loops were searched for twice";
  ASSERT_TRUE(anywhere.search.place);
  EXPECT_TRUE(anywhere.search.place->after.empty());
}

TEST(WindowChoice, TwoOfThreePlacesFollowALaunchOfAnUnmeasuredKernel) {
  std::string mixed;
  for (int i = 0; i < 2000; ++i) mixed += static_cast<char>('a' + (i * i * 7 + i / 3) % 5);
  mixed += repeated("zy", 10);
  MeasuredKernels kernels;
  for (char letter = 'a'; letter < 'f'; ++letter)
    kernels.add(
        {{}, {}, {{{letter}, Tier::unknown, {letter}, {{"grid", {1, 1, 1}}, {"block", {32, 1, 1}}}}}, {}});
  WindowChoice choice(1);
  const RunLog log = log_of(mixed, 20);
  std::vector<NextWindow> windows;
  for (int i = 0; i < 8; ++i) windows.push_back(choice.next(log, kernels));
  int after = 0;
  for (const NextWindow& window : windows) {
    if (!window.search.place || window.search.place->after.empty()) continue;
    ++after;
    const uint64_t last = window.search.place->after.back().identity_hash;
    EXPECT_TRUE(last == 'z' || last == 'y') << last;
  }
  EXPECT_GE(after, 3);
}

TEST(Places, OverlapWhatTheirLeadOrTailMayContain) {
  WindowPlace place;
  place.lead_first = 100;
  place.lead = 10;
  place.most = 20;
  place.tail = 10;
  EXPECT_TRUE(overlaps(place, 90, 101));
  EXPECT_TRUE(overlaps(place, 179, 190)) << "the lead may become five times as long";
  EXPECT_FALSE(overlaps(place, 90, 100));
  EXPECT_FALSE(overlaps(place, 180, 190));
}

}  // namespace
}  // namespace kjoule
