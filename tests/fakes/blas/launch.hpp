#pragma once
#include <cuda.h>

#include <cstdlib>
#include <string>

#include "blas/cublas_types.hpp"

#define CUBLAS extern "C" __attribute__((visibility("default"))) kjoule::blas::CublasStatus

namespace stand_in {

using namespace kjoule::blas;

inline constexpr CublasStatus kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13;

/// A product as it is passed to cuBLAS.
struct Product {
  Operation a, b;
  int64_t m, n, k, batch;
  DataType in, out;
  const void* a_pointer;
  const void* b_pointer;
  void* c_pointer;
  CUstream stream;
};

inline uint64_t bytes_of(DataType type) {
  if (type == DataType::float64) return 8;
  if (type == DataType::float32 || type == DataType::int32) return 4;
  return type == DataType::float16 || type == DataType::bfloat16 ? 2 : 1;
}

inline CUfunction function_named(const std::string& name) {
  static CUmodule module = [] {
    CUmodule loaded = nullptr;
    return cuModuleLoadData(&loaded, "any") == CUDA_SUCCESS ? loaded : nullptr;
  }();
  CUfunction function = nullptr;
  return cuModuleGetFunction(&function, module, name.c_str()) == CUDA_SUCCESS ? function : nullptr;
}

inline CublasStatus launch(const std::string& name, unsigned x, unsigned y, unsigned z, unsigned threads,
                           CUstream stream, void** arguments) {
  const CUfunction function = function_named(name);
  if (function == nullptr) return kjoule::blas::kCublasNotSupported;
  return cuLaunchKernel(function, x, y, z, threads, 1, 1, 0, stream, arguments, nullptr) == CUDA_SUCCESS
             ? kCublasSuccess
             : kExecutionFailed;
}

/// Launches a kernel whose blocks compute `rows` x `columns` elements. Its name is `name`, completed by the
/// operations ("_tn"). With `parts` above 1, the sum is split, and a second kernel adds up the parts.
inline CublasStatus multiply(const Product& product, const std::string& name, int64_t rows, int64_t columns,
                             unsigned parts) {
  if (const char* crashes = std::getenv("FAKE_CUBLAS_CRASHES");
      crashes != nullptr && std::atoll(crashes) == product.n)
    std::_Exit(9);
  const auto letter = [](Operation operation) { return operation == Operation::transpose ? 't' : 'n'; };
  const auto batch = static_cast<uint64_t>(product.batch);
  uint64_t a_bytes = batch * static_cast<uint64_t>(product.m * product.k) * bytes_of(product.in),
           b_bytes = batch * static_cast<uint64_t>(product.n * product.k) * bytes_of(product.in),
           c_bytes = batch * static_cast<uint64_t>(product.m * product.n) * bytes_of(product.out);
  const void* a = product.a_pointer;
  const void* b = product.b_pointer;
  void* c = product.c_pointer;
  void* arguments[] = {&c, &a, &b, &c_bytes, &a_bytes, &b_bytes};
  const auto blocks = [](int64_t all, int64_t each) {
    return static_cast<unsigned>((all + each - 1) / each);
  };
  const std::string full =
      name.starts_with("gemv") ? name : name + "_" + letter(product.a) + letter(product.b);
  const CublasStatus status =
      launch(full, blocks(product.m, rows), blocks(product.n, columns),
             parts > 1 ? parts : static_cast<unsigned>(product.batch), 256, product.stream, arguments);
  if (status != kCublasSuccess || parts == 1) return status;
  void* reduced[] = {&c, &c_bytes};
  return launch("splitKreduce_kernel", blocks(product.m, 32), 1, 1, 512, product.stream, reduced);
}

}  // namespace stand_in
