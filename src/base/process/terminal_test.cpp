#include "base/process/terminal.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(PrintOutput, KeepsTextsOnTheirLine) {
  testing::internal::CaptureStdout();
  print_output("{:<6}|{:.1f}|{}\n", "a", 1.25, std::string("b\nkjoule: forged\x1b[2J"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a     |1.2|b\\u000akjoule: forged\\u001b[2J\n");
}

TEST(PrintText, KeepsLineEndsAlone) {
  testing::internal::CaptureStdout();
  print_text("one\n\ntwo\r\x1b[A\nthree");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\n\ntwo\\u000d\\u001b[A\nthree");
}

TEST(PrintError, GoesToStderr) {
  testing::internal::CaptureStderr();
  print_error("{}: {}\n", 3, "why");
  print_error_text("a\n");
  print_status("40 %\a");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "3: why\na\n\r\x1b[K40 %\\u0007");
}

}  // namespace
}  // namespace kjoule
