#include "names/capture_pattern.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

std::string captured(const char* pattern, const std::string& name, const char* capture = "x") {
  const auto captures = CapturePattern(pattern).match(name);
  if (!captures) return "no match";
  const auto place = captures->find(capture);
  return place == captures->end() ? "not captured" : place->second;
}

TEST(CapturePattern, MatchesWholeNames) {
  EXPECT_EQ(captured("gemm", "gemm"), "not captured");
  EXPECT_EQ(captured("gemm", "my_gemm"), "no match");
  EXPECT_EQ(captured("*gemm*", "my_gemm_64"), "not captured");
  EXPECT_EQ(captured("", ""), "not captured");
}

TEST(CapturePattern, KeepsNumbersAndWords) {
  EXPECT_EQ(captured("*_%{x}x%{y}_*", "ampere_sgemm_128x64_nn"), "128");
  EXPECT_EQ(captured("*_%{x}x%{y}_*", "ampere_sgemm_128x64_nn", "y"), "64");
  EXPECT_EQ(captured("*_@{x}_align%{n}", "cutlass_80_nn_align8"), "nn");
  EXPECT_EQ(captured("%{x}", "12a"), "no match");
  EXPECT_EQ(captured("@{x}", "a_b"), "no match");
  EXPECT_EQ(captured("%{x}", ""), "no match");
}

TEST(CapturePattern, KeepsTextsWhoseBracketsAreClosed) {
  EXPECT_EQ(captured("f<${x}, *", "f<A<int, B<2>>, 3>"), "A<int, B<2>>");
  EXPECT_EQ(captured("f<${x}>", "f<A, B>"), "no match") << "a comma ends a template argument";
  EXPECT_EQ(captured("f<${x}>", "f<A(int, int)::{lambda()#1}>"), "A(int, int)::{lambda()#1}");
  EXPECT_EQ(captured("f<${x}>", "f<A<int>"), "no match");
  EXPECT_EQ(captured("${x}_kernel", "direct_copy_kernel"), "direct_copy");
  EXPECT_EQ(captured("${x}", ""), "no match");
}

TEST(CapturePattern, TakesABoundedNumberOfSteps) {
  EXPECT_EQ(captured("*a*a*a*a*a*a*b", std::string(100'000, 'a')), "no match");
  EXPECT_EQ(captured("${a}${b}${c}${d}${e}${x}!", std::string(10'000, '<')), "no match");
}

TEST(CapturePattern, RefusesWhatIsNoPattern) {
  EXPECT_THROW(CapturePattern("f<${x"), Error);
  EXPECT_THROW(CapturePattern("f<${}>"), Error);
  EXPECT_EQ(captured("$%@", "$%@"), "not captured");
}

}  // namespace
}  // namespace kjoule
