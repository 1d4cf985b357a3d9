#include "names/plain_name.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(PlainName, SplitsADeclaration) {
  const PlainName name(
      "void at::native::(anonymous namespace)::f<c10::Half, at::A<int, 2>, (at::M)0>(c10::Half*, int)");
  EXPECT_EQ(name.qualified, "at::native::(anonymous namespace)::f");
  EXPECT_EQ(name.spaces, "at::native::(anonymous namespace)");
  EXPECT_EQ(name.function, "f");
  EXPECT_EQ(name.text, "f<Half, A<int, 2>, (M)0>");
  EXPECT_EQ(name.arguments, (std::vector<std::string>{"Half", "A<int, 2>", "(M)0"}));
  EXPECT_EQ(name.parameters, (std::vector<std::string>{"Half*", "int"}));
}

TEST(PlainName, ReadsMangledNames) {
  EXPECT_EQ(PlainName("_Z3addPf").text, "add");
}

TEST(PlainName, LeavesLambdasAndClosesBracketsWithoutBlanks) {
  EXPECT_EQ(PlainName("void f<a::g(b::T&)::{lambda()#1}::operator()() const::{lambda(int)#2}>(int)").text,
            "f<g(T&)::{lambda()#1}::operator()() const::{lambda(int)#2}>");
  EXPECT_EQ(PlainName("void f<A<B<C<int> > > >(int)").text, "f<A<B<C<int>>>>");
}

TEST(PlainName, LeavesWhatIsNoDeclaration) {
  for (const char* name : {"Memcpy HtoD (Pinned -> Device)", "memcpy DtoD", "aten::add.Tensor",
                           "gemm-512x512", "loop_add_fusion", "", "(", "<<<", "_Znonsense"}) {
    EXPECT_EQ(PlainName(name).function, name);
    EXPECT_EQ(PlainName(name).text, name);
  }
}

TEST(PlainName, TakesWhatIsLeftOfATruncatedName) {
  EXPECT_EQ(PlainName("void at::native::elementwise_kernel<128, 4, at::na").function, "elementwise_kernel");
  EXPECT_EQ(PlainName("void ").function, "");
}

}  // namespace
}  // namespace kjoule
