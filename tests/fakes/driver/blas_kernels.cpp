// The kernels of the stand-in for cuBLAS (tests/fakes/blas), by the names of real ones.

#include <algorithm>
#include <string>

#include "kernels.hpp"

namespace stand_in {

namespace {

/// Reads two matrices and writes a third. The sizes are in bytes. The written values depend only on the
/// values that are read.
void multiply(Access& access, const Dimensions&, unsigned char* c, const unsigned char* a,
              const unsigned char* b, uint64_t c_bytes, uint64_t a_bytes, uint64_t b_bytes) {
  access(c, c_bytes);
  access(a, a_bytes);
  access(b, b_bytes);
  // Byte i is a[i % a_bytes] ^ b[i % b_bytes]. It is computed in stretches, with one division each.
  for (uint64_t i = 0; i < c_bytes;) {
    const unsigned char* from_a = a + i % a_bytes;
    const unsigned char* from_b = b + i % b_bytes;
    const uint64_t stretch = std::min({c_bytes - i, a_bytes - i % a_bytes, b_bytes - i % b_bytes});
    for (uint64_t j = 0; j < stretch; ++j) c[i + j] = from_a[j] ^ from_b[j];
    i += stretch;
  }
}

/// Adds up, in place, the results of the parts of a split product.
void reduce(Access& access, const Dimensions&, unsigned char* c, uint64_t c_bytes) {
  access(c, c_bytes);
  for (uint64_t i = 0; i < c_bytes; ++i) c[i] = static_cast<unsigned char>(c[i] * 3U + 1U);
}

}  // namespace

std::vector<Kernel> blas_kernels() {
  std::vector<Kernel> kernels = {make_kernel("splitKreduce_kernel", reduce),
                                 make_kernel("gemv2T_kernel_val", multiply)};
  for (const char* name : {"ampere_fp16_s16816gemm_fp16_128x64", "ampere_fp16_s16816gemm_fp16_64x64",
                           "maxwell_sgemm_fp16_128x32", "ampere_bf16_s16816gemm_bf16_128x64",
                           "ampere_sgemm_128x64", "ampere_sgemm_32x128"})
    for (const char* operations : {"_tn", "_nn", "_nt", "_tt"})
      kernels.push_back(make_kernel((std::string(name) + operations).c_str(), multiply));
  return kernels;
}

}  // namespace stand_in
