#include "cuda/session/accompanying_session.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cuda/session/delimited_session.hpp"
#include "cuda/session/passed_iterations.hpp"

namespace kjoule::cuda {
namespace {

/// A GPU that makes the launches of a text, whose iterations begin with "a"; "C" is a collective.
class AccompanyingGpu : public ::testing::Test {
 protected:
  /// Returns the initial of the session's step for each launch: "r" for record and so on; "." for pass.
  std::string launch(const std::string& kernels) {
    std::string steps;
    for (const char kernel : kernels) {
      const uint64_t collectives = kernel == 'C' ? 1 : 0;
      steps += ".brae"[static_cast<int>(session_.next(
          {static_cast<uint64_t>(kernel), 0, time_ns_ += 1000, 1, LaunchIdentity{}, collectives}))];
    }
    return steps;
  }

  std::atomic<bool> first_has_ended_ = false;
  AccompanyingSession session_{
      std::make_unique<DelimitedSession>(IterationBegin{'a', {}}, PassedIterations(0)), first_has_ended_};
  int64_t time_ns_ = 0;
};

TEST_F(AccompanyingGpu, RecordsAWholeIterationFromAnyPlaceInItsLoop) {
  launch("abCdabCdab");
  ASSERT_TRUE(session_.has_loop());
  EXPECT_EQ(session_.collectives(), 1);
  session_.begin();
  EXPECT_EQ(launch("CdabCdab"), "rrrre...");
  EXPECT_FALSE(session_.has_all());
}

TEST_F(AccompanyingGpu, IsCompleteOnceTheFirstGpuHasEnded) {
  launch("abcabca");
  session_.begin();
  EXPECT_EQ(launch("bca"), "rrr");
  EXPECT_TRUE(session_.has_all());
  EXPECT_FALSE(session_.is_complete()) << "its thread may still launch work of the first GPU";
  first_has_ended_ = true;
  EXPECT_TRUE(session_.is_complete());
}

TEST_F(AccompanyingGpu, RecordsTheNextIterationWithTheLaunchThatEndedTheLastOne) {
  launch("abcabca");
  session_.begin();
  EXPECT_EQ(launch("bcab"), "rrre");
  session_.record_next();
  EXPECT_EQ(launch("bca"), "...") << "the program makes the launch again";
  ASSERT_TRUE(session_.has_loop());
  session_.begin();
  EXPECT_EQ(launch("bcab"), "rrre");
}

TEST_F(AccompanyingGpu, AbandonsAnIterationThatDiffers) {
  launch("abcabca");
  session_.begin();
  EXPECT_EQ(launch("bx"), "ra");
  EXPECT_FALSE(session_.has_loop());
  EXPECT_EQ(launch("abcabca"), ".......");
  EXPECT_TRUE(session_.has_loop());
}

TEST_F(AccompanyingGpu, HasNoLoopBeforeTwoIterationsHaveBegun) {
  launch("xyabc");
  EXPECT_FALSE(session_.has_loop());
}

}  // namespace
}  // namespace kjoule::cuda
