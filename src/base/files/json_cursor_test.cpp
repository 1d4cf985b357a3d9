#include "base/files/json_cursor.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

namespace kjoule {
namespace {

std::string refusal(const std::string& json) {
  const PaddedText text = PaddedText::copy_of(json);
  JsonCursor cursor(text, "f", "repair it");
  try {
    cursor.skip();
    return cursor.at_end() ? "" : "more";
  } catch (const Error& error) {
    return error.line();
  }
}

TEST(JsonCursor, HandsOutTheTextOfValues) {
  const PaddedText text = PaddedText::copy_of(R"({"a": [1, {"b": "x\"]"}], "c": -1.5e3, "d": NaN} [2])");
  JsonCursor cursor(text, "f", "");
  std::vector<std::string> seen;
  cursor.members(
      [&](std::string_view key) { seen.push_back(std::string(key) + "=" + std::string(cursor.raw())); });
  EXPECT_EQ(seen, (std::vector<std::string>{R"(a=[1, {"b": "x\"]"}])", "c=-1.5e3", "d=NaN"}));
  EXPECT_FALSE(cursor.at_end());
  cursor.elements([&] { EXPECT_EQ(cursor.raw(), "2"); });
  EXPECT_TRUE(cursor.at_end());
}

TEST(JsonCursor, RefusesWhatIsNoJson) {
  for (const char* good : {"{}", "[]", "0", "-Infinity", "\"\"", "[true, false, null]", "{\"a\": {}}"})
    EXPECT_EQ(refusal(good), "") << good;
  for (const char* bad : {"{", "[", "\"", "[1,]", "{\"a\"}", "{\"a\":}", "{a: 1}", "[1 2]", "-", "1.", "1e",
                          "truth", "]", "", "\"\\", "[\"\\\"]", "{\"a\": 1,}"})
    EXPECT_TRUE(refusal(bad).starts_with("f:1: ")) << bad << refusal(bad);
  EXPECT_EQ(refusal("[1,\n2,\n?]"), "f:3: '?' where a value is expected; repair it");
  EXPECT_NE(refusal(std::string("[\0]", 3)).find("byte 0x00"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '[')).find("too deeply"), std::string::npos);
}

TEST(JsonCursor, KnowsEscapes) {
  EXPECT_EQ(json_text(R"("a\n\"\\\/\u00e9\ud83d\ude00")"), "a\n\"\\/\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(json_text(R"("\ud83d!")"), "\xEF\xBF\xBD!");  // half a pair
  EXPECT_EQ(json_text(R"("\q\u12")"), R"(\q\u12)");
  EXPECT_EQ(json_text("plain"), "plain");
}

TEST(JsonCursor, ReadsWholeNumbers) {
  EXPECT_EQ(json_whole("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(json_whole("\"-7\""), -7);
  for (const char* bad : {"1.0", "9223372036854775808", "", "\"\"", "x", "[1]", "1 "})
    EXPECT_FALSE(json_whole(bad)) << bad;
}

}  // namespace
}  // namespace kjoule
