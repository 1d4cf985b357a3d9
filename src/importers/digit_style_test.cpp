#include "importers/digit_style.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "importers/expect_contains.hpp"

namespace kjoule {
namespace {

DigitStyle style_of(std::initializer_list<const char*> times,
                    std::initializer_list<const char*> counts = {}) {
  DigitStyle style;
  for (const char* time : times) style.observe(time, false);
  for (const char* count : counts) style.observe(count, true);
  return style;
}

TEST(DigitStyle, CommasGroupDigitsBeforeAPoint) {
  const DigitStyle style = style_of({"1,234.50", "2,000"});
  EXPECT_EQ(style.plain("1,234.50"), "1234.50");
  EXPECT_EQ(style.plain("2,000"), "2000");
  EXPECT_EQ(style.plain("12.5e-3"), "12.5e-3");
  EXPECT_FALSE(style.plain("12,5"));
  EXPECT_FALSE(style.plain("n/a"));
  EXPECT_EQ(style.ambiguity(), "");
}

TEST(DigitStyle, PointsGroupDigitsBeforeAComma) {
  const DigitStyle style = style_of({"12,5", "1.234"});
  EXPECT_EQ(style.plain("12,5"), "12.5");
  EXPECT_EQ(style.plain("1.234"), "1234");
  EXPECT_EQ(style.ambiguity(), "");
  EXPECT_EQ(style_of({"5.678"}, {"1.234"}).plain("5.678"), "5678") << "a number of launches has no fraction";
}

TEST(DigitStyle, NumbersOfTwoMeaningsAreNamed) {
  EXPECT_CONTAINS(style_of({"1,234"}).ambiguity(), "the number \"1,234\" may be 1234 or 1.234");
  EXPECT_EQ(style_of({"1,234"}).conflict(), "");
  EXPECT_CONTAINS(style_of({}, {"1.125"}).ambiguity(), "the number \"1.125\" may be 1125 or 1.125");
  EXPECT_EQ(style_of({"12,5"}, {"1.125"}).ambiguity(), "");
  EXPECT_EQ(style_of({}, {"1.000.125", "1.125"}).ambiguity(), "");
  EXPECT_EQ(style_of({"1,234", "0.5"}).ambiguity(), "");
  EXPECT_EQ(style_of({"1,234"}, {"2,000"}).ambiguity(), "");
  EXPECT_CONTAINS(style_of({"12,5", "0.25"}).conflict(), "are written in different ways");
  EXPECT_CONTAINS(style_of({"1.234.567", "1,234.5"}).conflict(), "are written in different ways");
}

}  // namespace
}  // namespace kjoule
