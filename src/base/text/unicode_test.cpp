#include "base/text/unicode.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kjoule {
namespace {

std::vector<uint32_t> codes(std::string_view text) {
  std::vector<uint32_t> all;
  while (!text.empty()) all.push_back(take_character(text).code);
  return all;
}

TEST(TakeCharacter, ReadsUtf8) {
  EXPECT_EQ(codes("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82"),
            (std::vector<uint32_t>{'a', 0xE9, 0x20AC, 0x1F642}));
  EXPECT_EQ(codes(std::string_view("\0x", 2)), (std::vector<uint32_t>{0, 'x'}));
}

TEST(TakeCharacter, ReplacesEachInvalidByte) {
  const uint32_t bad = kReplacement.code;
  EXPECT_EQ(codes("\xFF\x9B"), (std::vector<uint32_t>{bad, bad}));
  EXPECT_EQ(codes("\xE2\x82"), (std::vector<uint32_t>{bad, bad})) << "the text ends within a character";
  EXPECT_EQ(codes("\xC0\x9B"), (std::vector<uint32_t>{bad, bad})) << "an overlong U+001B";
  EXPECT_EQ(codes("\xE0\x82\x9B"), (std::vector<uint32_t>{bad, bad, bad})) << "an overlong U+009B";
  EXPECT_EQ(codes("\xED\xA0\x80"), (std::vector<uint32_t>{bad, bad, bad})) << "a surrogate";
  EXPECT_EQ(codes("\xF4\x90\x80\x80"), (std::vector<uint32_t>{bad, bad, bad, bad})) << "above U+10FFFF";
  EXPECT_EQ(codes("\xC3z"), (std::vector<uint32_t>{bad, 'z'}));
}

}  // namespace
}  // namespace kjoule
