#include "base/files/file_name.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(FileNameOf, StaysWithinTheFolder) {
  EXPECT_EQ(file_name_of("resnet50_N1"), "resnet50_N1");
  EXPECT_EQ(file_name_of("../../up"), "_._.._up");
  EXPECT_EQ(file_name_of(".."), "_.");
  EXPECT_EQ(file_name_of("/abs\\a/b"), "_abs_a_b");
  EXPECT_EQ(file_name_of("-rf"), "_rf");
  EXPECT_EQ(file_name_of(""), "_");
}

TEST(FileNameOf, HasNoControlCharacters) {
  EXPECT_EQ(file_name_of("a\x1b[2J\nb\tc\xFF"), "a_[2J_b_c_");
  EXPECT_EQ(file_name_of("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(FileNameOf, IsShortEnough) {
  EXPECT_EQ(file_name_of(std::string(300, 'x')).size(), 200);
  EXPECT_EQ(file_name_of(std::string(199, 'x') + "\xC3\xA9"), std::string(199, 'x'))
      << "a character is not cut";
}

}  // namespace
}  // namespace kjoule
