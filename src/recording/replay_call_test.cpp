#include "recording/replay_call.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(ReplayCall, AMatrixProductSurvivesMessages) {
  const MatrixProduct product{5, 3072, 1024, 16, "float16", "maxwell_sgemm_fp16_128x32_tn", Extent{24, 1, 5},
                              {}};
  EXPECT_EQ(std::get<MatrixProduct>(read_fields<ReplayCall>(write_fields(ReplayCall(product)), "call")),
            product);
}

TEST(ReplayCall, AMatrixProductIsNamedByItsSizes) {
  EXPECT_EQ(call_name(MatrixProduct{5, 3072, 1024, 1, "float16", "", {}, {}}), "cuBLAS 5x3072x1024 float16");
  EXPECT_EQ(call_name(MatrixProduct{5, 3, 1024, 16, "tf32", "", {}, {}}), "cuBLAS 16 x 5x3x1024 tf32");
}

TEST(ReplayCall, TheMemoryOfAMatrixProductIsThatOfItsThreeMatrices) {
  EXPECT_EQ(bytes_of(MatrixProduct{2, 3, 4, 5, "float16", "", {}, {}}), 5 * 2 * (2 * 4 + 4 * 3 + 2 * 3));
  const int64_t most = 2147483647;
  EXPECT_EQ(bytes_of(MatrixProduct{most, most, most, most, "float64", "", {}, {}}),
            1'000'000'000'000'000'000);
}

}  // namespace
}  // namespace kjoule
