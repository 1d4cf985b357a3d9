#include "recording/signature.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Signature, NamesWhatDistinguishesKernels) {
  const std::string gemm = kernel_signature("gemm", {8, 2, 1}, {256, 1, 1}, 1024, 0xff00000000000012);
  EXPECT_EQ(gemm, "gemm <<<8x2x1, 256x1x1, 1024>>> 00000012");
  EXPECT_NE(gemm, kernel_signature("gemm", {8, 2, 1}, {256, 1, 1}, 1024, 0x13)) << "other arguments";
  EXPECT_NE(gemm, kernel_signature("gemm", {8, 2, 1}, {256, 1, 1}, 0, 0x12)) << "other shared memory";
}

TEST(Signature, NamesTheSizesOfCopiesAndMemsets) {
  EXPECT_EQ(copy_signature("memcpy HtoD", 4096, 2, 1), "memcpy HtoD 4096x2x1 B");
  EXPECT_EQ(memset_signature(1024, 1, 4), "memset 1024x1 of 4 B");
}

TEST(Signature, NamesAnOperatorAndItsArguments) {
  EXPECT_EQ(operator_signature("aten::add.Tensor", {"Float[2,3][3,1]", "Float[2,3][3,1]", "1"}),
            "aten::add.Tensor Float[2,3][3,1] Float[2,3][3,1] 1");
  EXPECT_EQ(operator_signature("aten::rand", {}), "aten::rand");
}

}  // namespace
}  // namespace kjoule
