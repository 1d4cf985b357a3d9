#include "base/json/parse_json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

std::string nested(int levels) {
  const auto count = static_cast<size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(ParseJson, ReturnsTheValue) {
  EXPECT_EQ(parse_json(R"({"a": [1, "x\"]["]})", "f"), (nlohmann::json{{"a", {1, "x\"]["}}}));
  EXPECT_FALSE(parse_json(nested(kNestingLimit), "f").is_discarded());
}

TEST(ParseJson, DiscardsTextThatIsNotJson) {
  for (const char* text :
       {"", "{", "[1,]", "NaN", "Infinity", "1e999", "-1e999", "[1] 2", "\"\\", "\"", "]", "\xff"})
    EXPECT_TRUE(parse_json(text, "f").is_discarded()) << text;
}

TEST(ParseJson, RefusesValuesAboveTheNestingLimit) {
  const std::string objects = [] {
    std::string text;
    for (int i = 0; i <= kNestingLimit; ++i) text += R"({"a":)";
    return text;
  }();
  for (const std::string& text :
       {nested(kNestingLimit + 1), nested(1'000'000), std::string(100'000, '['), objects})
    try {
      parse_json(text, "file:3");
      FAIL() << text.size();
    } catch (const Error& error) {
      EXPECT_EQ(
          error.line(),
          "file:3: arrays and objects are nested too deeply (nesting limit: 64 levels); use a file with "
          "simpler values, or create the file again");
    }
}

TEST(ParseJson, FindsThePlaceOfTheFirstValueThatIsTooDeep) {
  const auto deep = find_excess("\n" + nested(kNestingLimit + 1));
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->position, kNestingLimit + 1);
  EXPECT_FALSE(find_excess('"' + std::string(1000, '[') + "\\\"" + std::string(1000, '[') + '"'));
  std::string side_by_side = "[";
  for (int i = 0; i < 1000; ++i) side_by_side += "[],{},";
  EXPECT_FALSE(find_excess(side_by_side));
}

TEST(ParseJson, RefusesMoreValuesThanTheValueLimit) {
  const std::string zeros = [] {
    std::string text = "[0";
    for (size_t i = 2; i < kValueLimit; ++i) text += ",0";
    return text;
  }();
  EXPECT_FALSE(find_excess(zeros + "]"));
  const auto excess = find_excess(zeros + ",0]");
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->cause, "there are too many values (value limit: 4000000)");
}

TEST(ParseJson, BlanksReplaceLineEndsAndTabsBetweenValuesOnly) {
  EXPECT_EQ(without_control_blanks("[\n\"a\tb\\\"\n\",\r\n1]"), "[ \"a\tb\\\"\n\",  1]");
}

}  // namespace
}  // namespace kjoule
