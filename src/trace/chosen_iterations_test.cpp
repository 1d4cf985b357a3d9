#include "trace/chosen_iterations.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

void launch(RangeIterations& iterations, int launches) {
  for (int i = 0; i < launches; ++i) iterations.add();
}

TEST(RangeIterations, AreTheOutermostRangesOfThatName) {
  RangeIterations iterations("step");
  launch(iterations, 10);
  EXPECT_FALSE(iterations.range_begin("other"));
  EXPECT_TRUE(iterations.range_begin("step"));
  launch(iterations, 3);
  EXPECT_FALSE(iterations.range_begin("step"));
  launch(iterations, 4);
  EXPECT_FALSE(iterations.range_end("step"));
  EXPECT_FALSE(iterations.range_end("other"));
  EXPECT_TRUE(iterations.within());
  EXPECT_FALSE(iterations.found());
  EXPECT_TRUE(iterations.range_end("step"));
  EXPECT_FALSE(iterations.within());
  EXPECT_EQ(iterations.found(), (Period{10, 7}));
}

TEST(RangeIterations, SkipTheFirstOnesAndThoseWithoutLaunches) {
  RangeIterations iterations("step", 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(iterations.range_begin("step"));
    EXPECT_FALSE(iterations.within());
    launch(iterations, 5);
    EXPECT_FALSE(iterations.range_end("step"));
  }
  iterations.range_begin("step");
  EXPECT_FALSE(iterations.range_end("step")) << "nothing was launched";
  EXPECT_TRUE(iterations.range_begin("step"));
  launch(iterations, 5);
  EXPECT_TRUE(iterations.range_end("step"));
  EXPECT_EQ(iterations.found(), (Period{10, 5}));
  EXPECT_EQ(iterations.ranges(), 4u);
}

TEST(RangeIterations, PassOverAnEndWithoutABeginning) {
  RangeIterations iterations("step");
  launch(iterations, 5);
  EXPECT_FALSE(iterations.range_end("step"));
  EXPECT_TRUE(iterations.range_begin("step"));
  EXPECT_THROW(RangeIterations(""), Error);
}

TEST(LaunchNumbers, AreReadOrRefusedWithAnExample) {
  EXPECT_EQ(parse_launch_numbers("614..1228"), (Period{614, 614}));
  EXPECT_EQ(parse_launch_numbers("0..1"), (Period{0, 1}));
  for (const char* text :
       {"", "..", "5", "5..", "..5", "5..5", "6..5", "-1..5", "1..5x", "1...5", "1..99999999999999999999"})
    EXPECT_THROW(parse_launch_numbers(text), Error) << text;
}

TEST(ChoiceText, OffersWhatRepeatedMost) {
  EXPECT_EQ(choice_text({.seen = 12}), "no iteration was found in 12 launches: nothing repeated");
  const std::string text =
      choice_text({.length = 614, .repeats = 4, .launches = 2456, .first = 800, .seen = 3256});
  EXPECT_NE(text.find("614 launches, 4 times in a row (launches 800 to 3255)"), std::string::npos) << text;
  EXPECT_NE(text.find("--iterations 800..1414"), std::string::npos) << text;
}

}  // namespace
}  // namespace kjoule
