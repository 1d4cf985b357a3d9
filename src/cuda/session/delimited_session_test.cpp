#include "cuda/session/delimited_session.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <semaphore>
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

/// A thread that launches when it is told to.
class OtherThread {
 public:
  ~OtherThread() {
    launches_ = {};
    told_.release();
    thread_.join();
  }
  std::string steps(DelimitedSession& session, const std::string& launches) {
    launches_ = [&] { return kjoule::cuda::steps(session, launches); };
    told_.release();
    done_.acquire();
    return steps_;
  }

 private:
  void run() {
    for (told_.acquire(); launches_; told_.acquire()) {
      steps_ = launches_();
      done_.release();
    }
  }

  std::function<std::string()> launches_;
  std::string steps_;
  std::binary_semaphore told_{0}, done_{0};
  std::thread thread_{[this] { run(); }};
};

TEST(DelimitedSession, TheOtherThreadsRepeatWhatTheyLaunchedInTheIterationBefore) {
  DelimitedSession session({'d', thread_number()}, PassedIterations(1));
  OtherThread other;  // repeats "uv"
  EXPECT_EQ(steps(session, "d"), ".");
  EXPECT_EQ(other.steps(session, "uv"), "..");
  EXPECT_EQ(steps(session, "xd"), ".b");
  EXPECT_EQ(other.steps(session, "uvu"), "rrr");
  EXPECT_EQ(steps(session, "xd"), "ra") << "a repetition would launch u twice in a row";
  EXPECT_EQ(other.steps(session, "vu"), "..");
  EXPECT_EQ(steps(session, "yd"), ".b") << "an iteration may differ in its own thread's launches";
  EXPECT_EQ(other.steps(session, "vu"), "rr");
  EXPECT_EQ(steps(session, "yyd"), "rre");
  session.record_next();
  EXPECT_EQ(steps(session, "d"), "b");
  EXPECT_EQ(other.steps(session, "vu"), "rr");
  EXPECT_EQ(steps(session, "d"), "e");
}

TEST(DelimitedSession, AnIterationIsRecordedAlthoughOtherThreadsNeverRepeatTheirs) {
  DelimitedSession session({'d', thread_number()}, PassedIterations(1));
  OtherThread other;
  EXPECT_EQ(steps(session, "dd"), ".b");
  for (char launch = 'A'; launch < 'A' + 10; ++launch) {
    EXPECT_EQ(other.steps(session, std::string(1, launch)), "r");
    EXPECT_EQ(steps(session, "dd"), "ab");
  }
  EXPECT_EQ(other.steps(session, "Z"), "r");
  EXPECT_EQ(steps(session, "d"), "e");
}

}  // namespace
}  // namespace kjoule::cuda
