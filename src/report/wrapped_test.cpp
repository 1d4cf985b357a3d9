#include "report/wrapped.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Wrapped, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(wrapped("  a: ", "one two three", 12), "  a: one two\n     three\n");
  EXPECT_EQ(wrapped("", "one", 12), "one\n");
  EXPECT_EQ(wrapped("a ", "", 12), "a \n");
}

TEST(Wrapped, DoesNotBreakAWord) {
  EXPECT_EQ(wrapped("", "a /a/very/long/path b", 6), "a\n/a/very/long/path\nb\n");
}

TEST(TableRow, DoesNotBreakAWordThatIsLongerThanItsCell) {
  EXPECT_EQ(table_row("  12  ", "gemm of abc", 10), "  12  gemm\n      of\n      abc\n");
  EXPECT_EQ(table_row("  12  ", "a framework", 15), "  12  a\n      framework\n");
  EXPECT_EQ(table_row("  12  ", "a framework", 14), "  12\n    a\n    framework\n");
}

TEST(TableRow, BreaksAWordThatIsLongerThanALine) {
  EXPECT_EQ(table_row("  12  ", "gemm abcdefgh", 10), "  12\n    gemm\n    abcdef\n    gh\n");
  EXPECT_EQ(table_row("  ", "\xC3\xA4\xC3\xB6\xC3\xBC", 4), "  \xC3\xA4\xC3\xB6\n  \xC3\xBC\n");
  EXPECT_EQ(table_row("", "at::native::gelu<float>", 14), "at::native::\ngelu<float>\n");
}

TEST(Wrapped, CountsCharactersNotBytes) {
  EXPECT_EQ(wrapped("", "\xC3\xA4\xC3\xB6 \xC3\xBC", 4), "\xC3\xA4\xC3\xB6 \xC3\xBC\n");
}

}  // namespace
}  // namespace kjoule
