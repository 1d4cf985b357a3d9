#include "base/text/printable.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Printable, EscapesWhatControlsATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\a\b\r\n\x7f"), "\\u001b[31mred\\u0007\\u0008\\u000d\\u000a\\u007f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\u009b2J")
      << "an eight-bit control sequence";
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b\xE2\x81\xA6"
                      "c\xE2\x80\xA8"),
            "a\\u202eb\\u2066c\\u2028");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
}

TEST(Printable, KeepsOtherText) {
  EXPECT_EQ(printable("gemm<float>\t\xC3\xA9 \xE2\x82\xAC \\n"), "gemm<float>\t\xC3\xA9 \xE2\x82\xAC \\n");
}

TEST(Printable, ReplacesInvalidBytes) {
  EXPECT_EQ(printable("a\x9B"
                      "b"),
            "a\xEF\xBF\xBD"
            "b")
      << "a lone byte of a control sequence";
}

}  // namespace
}  // namespace kjoule
