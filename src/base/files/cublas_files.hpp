#pragma once
#include <array>
#include <string>
#include <vector>

namespace kjoule {

/// Major versions of cuBLAS that kjoule-blas can use, newest first.
inline constexpr std::array kCublasMajors = {13, 12, 11};

/// Returns the file of cuBLAS that the user named with KJOULE_CUBLAS, or null.
const char* named_cublas();

/// Returns the files to try in order for a library of cuBLAS ("cublas", "cublasLt"): a name in the loader's
/// search path, then paths in CUDA toolkits, which the loader does not search. If the user named the file of
/// cuBLAS (KJOULE_CUBLAS), returns only this file, or for "cublasLt" only the corresponding file in the same
/// folder.
std::vector<std::string> cublas_files(const std::string& name, int major);

}  // namespace kjoule
