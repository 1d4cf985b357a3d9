#include "importers/torch_types.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(TorchTypes, HaveNamesInProgramsProfilersAndRules) {
  for (const char* name : {"Half", "c10::Half", "cutlass::half_t", "float16"})
    EXPECT_EQ(torch_type_named(name), "Half") << name;
  EXPECT_EQ(torch_type_named("c10::complex<float>"), "ComplexFloat");
  EXPECT_EQ(torch_type_named("long int"), "Long");
  EXPECT_EQ(torch_type_named("tf32"), "Float");
  for (const char* name : {"", "c10::", "half", "std::vector<c10::Half>", "TensorList"})
    EXPECT_EQ(torch_type_named(name), std::nullopt) << name;
}

TEST(TorchTypes, ModelsComputeInFourOfThem) {
  for (const char* type : {"Float", "Double", "Half", "BFloat16"}) EXPECT_TRUE(is_floating_type(type));
  for (const char* type : {"Long", "Float8_e5m2", "ComplexFloat", "float", ""})
    EXPECT_FALSE(is_floating_type(type));
}

}  // namespace
}  // namespace kjoule
