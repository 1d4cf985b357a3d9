#pragma once
#include <array>
#include <string>
#include <vector>

namespace kjoule {

/// Major versions of cuBLAS that kjoule-blas can use, newest first.
inline constexpr std::array kCublasMajors = {13, 12, 11};

/// Returns the file of cuBLAS that the user named with KJOULE_CUBLAS, or null.
const char* named_cublas();

/// Returns the names to try for a library of cuBLAS ("cublas", "cublasLt"): in the loader's search path, then
/// in CUDA toolkits, where the loader does not look. If the user named the file of cuBLAS, this is that file,
/// and cuBLASLt is next to it.
std::vector<std::string> cublas_files(const std::string& name, int major);

}  // namespace kjoule
