#include "cuda/range_session.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

/// "(" and ")" begin and end the range, "[" and "]" another one, all else is launched. What became of each:
/// "|" is an end that completes the recording.
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
  EXPECT_EQ(steps(session, "xy(xyz)p(xyz)q(xyz)"),  //
            "..(...).(brr|.(...)");
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{3000, 7000}}));
  EXPECT_EQ(session.launches(), 9u) << "what comes after is not looked at";
}

TEST(RangeSession, RecordsTheNextRangeInstead) {
  RangeSession session("step", 0, 1);
  EXPECT_EQ(steps(session, "(x)(xy)"), "(.)(br|");
  session.record_next();
  EXPECT_EQ(steps(session, "p(xy)q"), ".(br|.");
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
