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
  EXPECT_EQ(find_too_deep("\n" + nested(kNestingLimit + 1)), kNestingLimit + 1);
  EXPECT_EQ(find_too_deep('"' + std::string(1000, '[') + "\\\"" + std::string(1000, '[') + '"'),
            std::nullopt);
  std::string side_by_side = "[";
  for (int i = 0; i < 1000; ++i) side_by_side += "[],{},";
  EXPECT_EQ(find_too_deep(side_by_side), std::nullopt);
}

}  // namespace
}  // namespace kjoule
