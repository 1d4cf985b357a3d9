#include "report/kernel_names.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

const std::string kAdd =
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::Half>, "
    "std::array<char*, "
    "3ul> >(int, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul>)";

TEST(KernelNames, ShowShortNamesWithTheRestOfTheSignature) {
  const KernelNames names({kAdd, "_Z5scalePf"});
  EXPECT_EQ(names.shown(kAdd), "add half x8 (elementwise)");
  EXPECT_EQ(names.shown("_Z5scalePf"), "scale");
  EXPECT_EQ(names.shown(kAdd, kAdd + ", grid 12x1x1", 50), "add half x8 (elementwise), grid 12x1x1");
  EXPECT_EQ(names.shown(kAdd, kAdd + ", grid 12x1x1", 6), "add half x8 (elementwise), gr..");
}

TEST(KernelNames, ShowFullNamesDemangledOnRequest) {
  const KernelNames names({kAdd, "_Z5scalePf"}, NameStyle::full);
  EXPECT_EQ(names.shown(kAdd), kAdd);
  EXPECT_EQ(names.shown("_Z5scalePf"), "scale(float*)");
  EXPECT_EQ(names.short_name(kAdd), "add half x8 (elementwise)") << "for JSON and CSV";
}

TEST(KernelNames, ArePrintable) {
  EXPECT_EQ(KernelNames({"evil\x1b[2J"}).shown("evil\x1b[2J"), "evil\\u001b[2J");
}

}  // namespace
}  // namespace kjoule
