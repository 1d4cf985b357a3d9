#include "cuda/memory/cache_flush.hpp"

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

size_t l2_bytes() {
  CUdevice device = 0;
  int bytes = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  KJOULE_CU(cuDeviceGetAttribute(&bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
  return static_cast<size_t>(bytes);
}

}  // namespace

CacheFlush::CacheFlush(const PageKernels& kernels)
    : kernels_(kernels), cache_bytes_(l2_bytes()), bytes_(2 * cache_bytes_) {}

void CacheFlush::issue(CUstream stream) const {
  kernels_.copy_run(bytes_.address(), bytes_.address() + cache_bytes_, cache_bytes_, stream);
}

}  // namespace kjoule::cuda
