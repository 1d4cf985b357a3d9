#include "importers/gemm_sizes.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace kjoule {

namespace {

struct TypeNames {
  const char* type;
  std::initializer_list<std::string_view> names;
};

/// Names of types in small letters, without "torch.", "cuda_r_" and "c10::".
const TypeNames kTypeNames[] = {
    {"float16", {"float16", "fp16", "f16", "16f", "half", "__half", "h"}},
    {"bfloat16", {"bfloat16", "bf16", "16bf", "__nv_bfloat16", "nv_bfloat16"}},
    {"float32", {"float32", "fp32", "f32", "32f", "float", "s"}},
    {"tf32", {"tf32", "tfloat32"}},
    {"float64", {"float64", "fp64", "f64", "64f", "double", "d"}},
    {"int8", {"int8", "s8", "i8", "8i", "char"}},
    {"float8_e4m3", {"float8_e4m3", "float8_e4m3fn", "fp8_e4m3", "e4m3", "8f_e4m3"}},
    {"float8_e5m2", {"float8_e5m2", "fp8_e5m2", "e5m2", "8f_e5m2"}},
};

}  // namespace

std::optional<std::string> matrix_type_named(const std::string& name) {
  std::string small = name;
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view text = small;
  for (const std::string_view prefix : {"torch.", "cuda_r_", "c10::"})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  for (const auto& [type, names] : kTypeNames)
    if (std::ranges::find(names, text) != names.end()) return type;
  return {};
}

}  // namespace kjoule
