#include "base/process/library.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Library, OpensTheFirstThatIsThere) {
  const auto library = Library::open({"libkjoule-none.so", "libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), "libm.so.6");
  auto* cosine = library->symbol<double(double)>("cos");
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0.0), 1.0);
}

TEST(Library, IsNothingWhenNoneIsThere) {
  EXPECT_FALSE(Library::open({"libkjoule-none.so", "libkjoule-neither.so"}));
  EXPECT_FALSE(Library::open({}));
}

TEST(Library, HasNullForASymbolItLacks) {
  const auto library = Library::open({"libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->symbol<int()>("kjoule_no_such_function"), nullptr);
}

}  // namespace
}  // namespace kjoule
