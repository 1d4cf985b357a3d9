#include "cuda/session/window_session.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kjoule::cuda {
namespace {

/// Makes launches and returns the initial of each step. Before a launch `*`, the host waits for the device.
std::string steps_with_waits(Session& session, const std::string& launches) {
  std::string text;
  for (const char launch : launches) {
    if (launch == '*') session.wait_for_device();
    text += ".brae"[static_cast<int>(session.next({static_cast<uint64_t>(launch), 1, 0}))];
  }
  return text;
}

std::string launches_of(char letter, size_t count) {
  return std::string(count, letter);
}

WindowPlace short_place() {
  WindowPlace place;
  place.lead_first = 3;
  place.lead = 2;
  place.least = 3;
  place.most = 5;
  return place;
}

TEST(WindowSession, MeasuresFromOneWaitOfTheHostToAnother) {
  WindowSession session({short_place()});
  EXPECT_EQ(steps_with_waits(session,
                             "xxx"
                             "xxx"
                             "*xx"
                             "*"),
            "..."
            "brr"
            "rrr"
            "r");
  EXPECT_EQ(session.edges(), (WindowEdges{3, 1}));
  EXPECT_FALSE(session.is_complete());
  EXPECT_TRUE(session.may_end());
  EXPECT_EQ(session.window()->first, 6u);
  EXPECT_EQ(session.window()->end, 9u);
}

TEST(WindowSession, EndsAfterItsTail) {
  WindowSession session({short_place()});
  steps_with_waits(session, "xxxxxx*xx*" + launches_of('x', WindowPlace::kEdge - 1));
  EXPECT_TRUE(session.is_complete());
  EXPECT_EQ(session.edges().tail, WindowPlace::kEdge);
  EXPECT_EQ(steps_with_waits(session, "xx"), "e.");
  EXPECT_FALSE(session.is_complete());
}

TEST(WindowSession, DoesWithoutWaitsWhereTheHostMakesNone) {
  WindowSession session({short_place()});
  const uint64_t lead = 2 * WindowPlace::kLongestLead;
  steps_with_waits(session, "xxx" + launches_of('x', lead + 5 + 1));
  EXPECT_EQ(session.edges(), (WindowEdges{lead, 1}));
}

TEST(WindowSession, MeasuresExactlyTheLaunchesThatAreGiven) {
  WindowSession session({WindowPlace::around({100, 110})});
  EXPECT_EQ(steps_with_waits(session, launches_of('*', 36)), launches_of('.', 36));
  EXPECT_EQ(steps_with_waits(session, launches_of('*', 64)), "b" + launches_of('r', 63));
  steps_with_waits(session, launches_of('*', 10));
  EXPECT_TRUE(session.may_end()) << "the program may end here";
  steps_with_waits(session, "*");
  EXPECT_EQ(session.edges(), (WindowEdges{64, 1}));
  EXPECT_EQ(session.window()->first, 100u);
  EXPECT_EQ(session.window()->end, 110u);
}

TEST(WindowSession, CannotMeasureTheFirstLaunchOfAProgram) {
  WindowSession session({WindowPlace::around({0, 4})});
  EXPECT_EQ(steps_with_waits(session, "xxxxx"), "brrrr");
  EXPECT_EQ(session.edges(), (WindowEdges{1, 1}));
  EXPECT_EQ(session.window()->first, 1u);
}

TEST(WindowSession, NeedsNoNeighboursWhereNothingIsReplayed) {
  WindowSession session({WindowPlace::exactly({2, 5})});
  EXPECT_EQ(steps_with_waits(session, "xxxxx"), "..brr");
  EXPECT_TRUE(session.is_complete());
  EXPECT_TRUE(session.edges().is_closed());
  EXPECT_EQ(session.window()->first, 2u);
  EXPECT_EQ(steps_with_waits(session, "x"), "e");
}

TEST(WindowSession, BeginsAfterTheLaunchesThatItWaitsFor) {
  WindowPlace place = short_place();
  place.lead_first = 0;
  place.after = {{7, false, 1}, {8, false, 1}};
  WindowSession session({place});
  ASSERT_TRUE(session.needs_identity());
  std::string text;
  for (const uint64_t hash : {7, 7, 8, 9, 9})
    text += ".brae"[static_cast<int>(session.next({hash, 0, 0, 1, LaunchIdentity{hash, hash}}))];
  EXPECT_EQ(text, "...br");
}

TEST(WindowSession, RecordsOneWindowAfterAnother) {
  WindowPlace later = short_place();
  later.lead_first = 0;
  later.skipped = 4;
  WindowSession session({short_place(), later});
  const std::string first = "xxxxxx*xx*" + launches_of('x', WindowPlace::kEdge);
  steps_with_waits(session, first);
  ASSERT_TRUE(session.go_on());
  EXPECT_EQ(steps_with_waits(session, "xxxxxxx"), "....brr");
  EXPECT_FALSE(session.go_on());
}

TEST(WindowSession, CountsTheNodesOfGraphs) {
  WindowSession session({short_place()}, 2);
  EXPECT_EQ(session.next({1, 0, 0, 4}), Step::begin);
  session.wait_for_device();
  EXPECT_EQ(session.next({1, 0, 0, 4}), Step::record);
  session.wait_for_device();
  EXPECT_EQ(session.next({1, 0, 0, 4}), Step::record);
  EXPECT_EQ(session.edges(), (WindowEdges{4, 4}));
  EXPECT_EQ(session.launches(), 14u);
}

}  // namespace
}  // namespace kjoule::cuda
