#include "cuda/session/range_session.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

/// Returns a character for each event: the initial of a launch's step ("." for pass), or the event itself.
/// "(" and ")" begin and end the range, "[" and "]" another range, and every other character is a launch. "|"
/// is an end that completes the recording.
std::string steps(RangeSession& session, const std::string& events) {
  std::string text;
  int64_t time_ns = 0;
  for (const char event : events) {
    time_ns += 1000;
    if (event == '(' || event == '[') {
      session.begin_range(event == '(' ? "step" : "other", time_ns);
      text += event;
    } else if (event == ')' || event == ']') {
      text += session.end_range(event == ')' ? "step" : "other", time_ns) ? '|' : event;
    } else {
      text += ".brae"[static_cast<int>(session.next({static_cast<uint64_t>(event), 1, time_ns}))];
    }
  }
  return text;
}

TEST(RangeSession, RecordsWhatIsLaunchedInTheRangeAndNothingElse) {
  RangeSession session("step", 0, 1);
  EXPECT_EQ(steps(session, "xy(xyz)(xyz)q(xyz)"),  //
            "..(...)(brr|.(...)");
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{3000, 7000}}));
  EXPECT_EQ(session.launches(), 8u) << "what comes after is not looked at";
  EXPECT_TRUE(session.edges().is_closed()) << "nothing was launched between the two";
  EXPECT_TRUE(session.runs_ahead()) << "their host times may be shorter than those of the device";
}

TEST(RangeSession, LaunchesBetweenRangesAreItsLeadAndTail) {
  RangeSession session("step", 0, 2);
  EXPECT_EQ(steps(session, "w(xyz)pq(xyz)pq(xyz)pq(xyz)"),  //
            ".(...)..(...)br(rrr)rr(rrr)");
  EXPECT_EQ(session.edges(), (WindowEdges{2, 5}));
  EXPECT_FALSE(session.is_complete());
  EXPECT_TRUE(session.may_end());
  EXPECT_FALSE(session.can_record_next());
  const std::string later(WindowPlace::kEdge, 'p');
  EXPECT_EQ(steps(session, later), std::string(WindowPlace::kEdge - 5, 'r') + "e....");
  EXPECT_EQ(session.edges().tail, WindowPlace::kEdge);
}

TEST(RangeSession, TheLeadBeginsAsLateAsTheNearestRangeAllows) {
  RangeSession session("step", 0, 3);
  const std::string far(100, 'p'), near(70, 'p');
  steps(session, "(x)" + far + "(x)" + near + "(x)");
  EXPECT_EQ(steps(session, far + "(xx)").substr(0, 7), "......b") << "70 - 64 = 6 launches after the range";
  EXPECT_EQ(session.edges(), (WindowEdges{94, 0}));
}

TEST(RangeSession, WithoutARangeInTimeTheNextOneIsTried) {
  RangeSession session("step", 0, 2);
  const std::string too_far(400, 'p');
  steps(session, "(x)p(x)");
  EXPECT_EQ(steps(session, too_far + "(x)"),
            "b" + std::string(319, 'r') + "a" + std::string(79, '.') + "(.)");
  EXPECT_EQ(steps(session, "p(xx)"), "b(rr)");
  EXPECT_EQ(session.edges(), (WindowEdges{1, 0}));
}

TEST(RangeSession, AfterThreeLeadsInVainItsOwnFirstLaunchIsItsLead) {
  RangeSession session("step", 0, 2);
  const std::string too_far(400, 'p');
  steps(session, "(x)p(x)");
  for (int i = 0; i < 2; ++i) EXPECT_NE(steps(session, too_far + "(x)").find('a'), std::string::npos) << i;
  EXPECT_EQ(steps(session, too_far + "(xyz)pp").substr(400), "(brr)rr");
  EXPECT_EQ(session.edges(), (WindowEdges{1, 2}));
}

TEST(RangeSession, RecordsTheNextRangeInstead) {
  RangeSession session("step", 0, 1);
  EXPECT_EQ(steps(session, "(x)(xy)"), "(.)(br|");
  session.record_next();
  EXPECT_EQ(steps(session, "(xy)q"), "(br|.");
  EXPECT_EQ(session.passed_iterations().size(), 1u);
}

TEST(RangeSession, TimesOfColdRangesAreNotKept) {
  RangeSession session("step", 2, 1);
  EXPECT_EQ(steps(session, "(x)(x)(x)(x)"),  //
            "(.)(.)(.)(b|");
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{7000, 9000}}));
}

TEST(RangeSession, InnerRangesBelongToTheOuterOne) {
  RangeSession session("step", 0, 0);
  EXPECT_EQ(steps(session, "(x(y)z[u]v)w"),  //
            "(b(r)r[r]r|.");
}

TEST(RangeSession, EmptyRangesAndEndsWithoutBeginAreNoIterations) {
  RangeSession session("step", 0, 1);
  EXPECT_EQ(steps(session, ")x()()(x)()(x)"),  //
            ").()()(.)()(b|");
}

TEST(RangeSession, SaysHowFarItCame) {
  RangeSession session("step", 0, 5);
  steps(session, "(x)(x)");
  EXPECT_EQ(session.best_guess(),
            "the NVTX range step with launches occurred 2 times, but its first 5 occurrences are skipped");
}

}  // namespace
}  // namespace kjoule::cuda
