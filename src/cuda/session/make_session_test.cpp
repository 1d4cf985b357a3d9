#include "cuda/session/make_session.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

TEST(MakeSession, RangesThatAreSkippedAndThoseThatAreTimedPassFirst) {
  InjectionOptions options;
  options.nvtx_range = "step";
  options.skip_iterations = 3;
  options.timed_iterations = 2;
  const auto session = make_session(options);
  for (int range = 0; range < 7; ++range) {
    session->begin_range("step", range);
    EXPECT_EQ(session->next({1, 1, range}), Step::pass) << range;
    EXPECT_FALSE(session->end_range("step", range));
  }
  session->begin_range("step", 7);
  EXPECT_EQ(session->next({1, 1, 7}), Step::begin);
  EXPECT_EQ(session->passed_iterations().size(), 5u);
}

TEST(MakeSession, LaunchesThatTheUserNamesNeedNotRepeat) {
  InjectionOptions options;
  options.iteration_launches = LaunchSpan{5, 9};
  options.timed_iterations = 110;
  const auto session = make_session(options);
  EXPECT_EQ(session->next({0, 1, 0}), Step::begin) << "with the launches before them";
  for (uint64_t launch = 1; launch < 10; ++launch) EXPECT_EQ(session->next({launch, 1, 0}), Step::record);
  EXPECT_EQ(session->edges(), (WindowEdges{5, 1}));
}

TEST(MakeSession, LaunchesThatTheUserNamesAreThoseAfterTheSkippedOnes) {
  InjectionOptions options;
  options.iteration_launches = LaunchSpan{100, 104};
  options.skip_iterations = 2;
  const auto session = make_session(options);
  for (uint64_t launch = 0; launch < 44; ++launch) EXPECT_EQ(session->next({launch, 1, 0}), Step::pass);
  EXPECT_EQ(session->next({44, 1, 0}), Step::begin);
}

TEST(MakeSession, AProgramMayMarkItsIterations) {
  InjectionOptions options;
  options.timed_iterations = 1;
  const auto session = make_session(options);
  for (uint64_t launch = 0; launch < 5; ++launch) EXPECT_EQ(session->next({launch, 1, 0}), Step::pass);
  for (int range = 0; range < 3; ++range) {
    session->begin_range("other", range);
    session->begin_range("kjoule.iteration", range);
    EXPECT_EQ(session->next({1, 1, range}), Step::pass) << range;
    EXPECT_FALSE(session->end_range("kjoule.iteration", range));
  }
  session->begin_range("kjoule.iteration", 3);
  EXPECT_EQ(session->next({1, 1, 3}), Step::begin);
  EXPECT_EQ(session->next({2, 1, 3}), Step::record);
  EXPECT_TRUE(session->end_range("kjoule.iteration", 4));
  EXPECT_EQ(session->passed_iterations().size(), 1u);
  EXPECT_EQ(session->launches(), 10u);
}

}  // namespace
}  // namespace kjoule::cuda
