#include "importers/recent_texts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kjoule {

TEST(RecentTexts, EqualTextsAreTheFirstOne) {
  RecentTexts texts;
  const std::string first = "\"aten::add\"", again = first, other = "\"aten::mul\"";
  EXPECT_EQ(texts.find(first).data(), first.data());
  EXPECT_EQ(texts.find(other), other);
  EXPECT_EQ(texts.find(again).data(), first.data());
}

TEST(RecentTexts, ManyTextsKeepTheirContents) {
  RecentTexts texts;
  std::vector<std::string> all;
  for (int i = 0; i < 20'000; ++i) all.push_back("kernel_" + std::to_string(i));
  for (const std::string& text : all) EXPECT_EQ(texts.find(text), text);
  EXPECT_EQ(texts.find(""), "");
}

}  // namespace kjoule
