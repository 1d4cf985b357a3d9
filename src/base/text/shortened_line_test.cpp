#include "base/text/shortened_line.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t n = 0; n < times; ++n) all += text;
  return all;
}

TEST(ShortenedLine, KeepsWhatCanBeRead) {
  for (const std::string& line : {std::string(), std::string("a: no such file; check it"),
                                  repeated("word ", 800), std::string(1024, 'x'), std::string("  a  ")})
    EXPECT_EQ(shortened_line(line), line);
}

TEST(ShortenedLine, LongWordsLoseTheirMiddle) {
  const std::string shown = shortened_line("f: " + std::string(65'000, 'x') + "END: not known; omit it");
  EXPECT_TRUE(shown.starts_with("f: xx"));
  EXPECT_TRUE(shown.ends_with("xEND: not known; omit it"));
  EXPECT_EQ(shown.size(), 3 + 1024 + std::string(" not known; omit it").size());
  EXPECT_NE(shown.find("x...x"), std::string::npos);
}

TEST(ShortenedLine, LongLinesLoseTheirMiddle) {
  const std::string shown = shortened_line("cause " + repeated("void foo<int, 3> ", 9000) + "; remedy");
  EXPECT_EQ(shown.size(), 4096U);
  EXPECT_TRUE(shown.starts_with("cause void foo"));
  EXPECT_TRUE(shown.ends_with("; remedy"));
}

TEST(ShortenedLine, DividesNoCharacter) {
  for (size_t shift = 0; shift < 3; ++shift) {
    const std::string shown = shortened_line(std::string(shift, 'a') + repeated("\xE2\x82\xAC", 2000));
    size_t letters = 0;
    for (size_t at = 0; at < shown.size(); ++at) letters += shown[at] == '\xE2' ? 1 : 0;
    EXPECT_EQ(shown.size(), shift + 3 * letters + 3) << shift;
  }
}

}  // namespace
}  // namespace kjoule
