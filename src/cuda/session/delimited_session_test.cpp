#include "cuda/session/delimited_session.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "cuda/driver/thread_number.hpp"

namespace kjoule::cuda {
namespace {

/// Returns the initial of the step for each launch ("." for pass). A letter is a shape hash.
std::string steps(DelimitedSession& session, const std::string& launches) {
  std::string text;
  int64_t time_ns = 0;
  for (const char launch : launches)
    text += ".brae"[static_cast<int>(session.next({static_cast<uint64_t>(launch), 0, time_ns += 1000}))];
  return text;
}

TEST(DelimitedSession, RecordsFromOneDelimiterToTheNext) {
  DelimitedSession session({'d'}, PassedIterations(2));
  EXPECT_EQ(steps(session, "xydxydxxydxxxyddxy"),  //
            ".........brrrre...");
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{3000, 6000}, {6000, 10000}}));
  EXPECT_EQ(session.launches(), 15u);
}

TEST(DelimitedSession, RecordsTheNextIterationInstead) {
  DelimitedSession session({'d'}, PassedIterations(1));
  EXPECT_EQ(steps(session, "xdxydxyzd"), "....brrre");
  session.record_next();
  EXPECT_EQ(steps(session, "dxd"), "bre") << "the launch that ended the first one comes again";
  EXPECT_EQ(session.launches(), 11u);
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{2000, 5000}}));
}

TEST(DelimitedSession, LaunchesOfOtherThreadsBelongToTheIteration) {
  DelimitedSession session({'d', thread_number()}, PassedIterations(0));
  std::string other;
  EXPECT_EQ(steps(session, "xd"), ".b");
  std::thread([&] { other = steps(session, "ydy"); }).join();
  EXPECT_EQ(other, "rrr");
  EXPECT_EQ(steps(session, "xd"), "re");
}

}  // namespace
}  // namespace kjoule::cuda
