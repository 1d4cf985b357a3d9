#include "finders.hpp"

#include <gtest/gtest.h>

namespace kjoule::inject {
namespace {

TEST(IterationsToPass, AreThoseSkippedAndThoseTimed) {
  InjectionOptions options;
  options.skip_iterations = 3;
  options.timed_iterations = 110;
  EXPECT_EQ(iterations_to_pass(options), 113);
  options.iterations = LaunchSpan{5, 9};
  EXPECT_EQ(iterations_to_pass(options), 3) << "the launches that the user names need not repeat";
}

}  // namespace
}  // namespace kjoule::inject
