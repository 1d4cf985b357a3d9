#include "blas/product_form.hpp"

#include <gtest/gtest.h>

namespace kjoule::blas {
namespace {

MatrixProduct product(const std::string& kernel, const std::string& type = "float16") {
  return {5, 3072, 1024, 1, type, kernel, {}, {}};
}

/// Returns the operations of all forms of the first type, in order: "tn nn".
std::string operations(const std::string& kernel) {
  std::string text;
  const std::vector<ProductForm> forms = product_forms(product(kernel));
  for (const ProductForm& form : forms) {
    if (form.out_type != forms[0].out_type || form.compute != forms[0].compute) continue;
    text += text.empty() ? "" : " ";
    text += form.a == Operation::transpose ? 't' : 'n';
    text += form.b == Operation::transpose ? 't' : 'n';
  }
  return text;
}

TEST(ProductForm, NamesStateTheirOperations) {
  for (const char* name :
       {"maxwell_sgemm_fp16_128x32_tn", "ampere_sgemm_128x64_tn", "nvjet_hsh_64x8_64x16_4x1_v_bz_TNT",
        "nvjet_hsh_64x8_64x16_4x1_v_bz_TNN", "cutlass_80_tensorop_s16816gemm_f16_128x128_32x4_tn_align8",
        "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_k_off_"
        "kernel__5x_cublas",
        "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 6, 7, false, cublasGemvTensorStridedBatched<__half "
        "const>>(int)",
        "void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 2, 4, false, true>(int)"})
    EXPECT_EQ(operations(name), "tn") << name;
  EXPECT_EQ(operations("volta_sgemm_32x128_nn"), "nn");
  EXPECT_EQ(operations("void gemv2N_kernel<int, int, __half>(int)"), "nn");
  EXPECT_EQ(operations("ampere_sgemm_32x128_nt"), "nt");
}

TEST(ProductForm, WithoutOperationsAllArePossible) {
  EXPECT_EQ(operations("void splitKreduce_kernel<32, 16, int, float, __half>(int)"), "tn nn nt tt");
  EXPECT_EQ(operations(""), "tn") << "a linear layer";
}

TEST(ProductForm, NamesStateBiasAndActivation) {
  const ProductForm form = product_forms(product("nvjet_hsh_64x8_64x16_4x1_v_bz_bias_TNT"))[0];
  EXPECT_TRUE(form.bias);
  EXPECT_EQ(form.epilogue, Epilogue::none);
  EXPECT_TRUE(form.by_lt_only);
  EXPECT_EQ(product_forms(product("ampere_s16816gemm_fp16_128x128_relu_tn"))[0].epilogue, Epilogue::relu);
  EXPECT_EQ(product_forms(product("x_gelu_bias_tn"))[0].epilogue, Epilogue::gelu);
  EXPECT_FALSE(product_forms(product("ampere_sgemm_128x64_tn"))[0].by_lt_only);
}

TEST(ProductForm, TypesHaveTheirUsualFormFirst) {
  const auto first = [](const char* type) { return product_forms(product("x_tn", type))[0]; };
  EXPECT_EQ(first("float16").out_type, DataType::float16);
  EXPECT_EQ(first("float16").compute, ComputeType::float32);
  EXPECT_EQ(first("tf32").compute, ComputeType::tf32);
  EXPECT_EQ(first("tf32").a_type, DataType::float32);
  EXPECT_EQ(first("int8").out_type, DataType::int32);
  EXPECT_TRUE(first("float8_e4m3").by_lt_only);
  EXPECT_EQ(first("float8_e5m2").a_type, DataType::float8_e4m3);
  EXPECT_EQ(first("float8_e5m2").b_type, DataType::float8_e5m2);
  EXPECT_THROW(product_forms(product("x_tn", "complex64")), std::exception);
}

}  // namespace
}  // namespace kjoule::blas
