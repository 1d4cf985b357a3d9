#include "blas/cublas.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/files/cublas_files.hpp"

namespace kjoule::blas {

namespace {

constexpr const char* kInstallCublas =
    "install the CUDA toolkit of the driver's version, or name the library with KJOULE_CUBLAS=FILE";

}  // namespace

bool Cublas::load(int major) {
  auto cublas = Library::open(cublas_files("cublas", major));
  if (!cublas) return false;
  const auto lt = Library::open(cublas_files("cublasLt", major));
  if (!lt) {
    failure_ = fmt::format("{} was found, but not the libcublasLt that belongs to it", cublas->name());
    return false;
  }
  // Both libraries remain loaded, because their code is never unloaded.
  const char* missing = nullptr;
  const auto find = [&](const Library& library, auto& function, const char* name) {
    function = library.symbol<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    if (function == nullptr) missing = name;
  };
#define KJOULE_FIND(library, function) find(library, function, #function)
  KJOULE_FIND(*cublas, cublasCreate_v2);
  KJOULE_FIND(*cublas, cublasSetStream_v2);
  KJOULE_FIND(*cublas, cublasSetWorkspace_v2);
  KJOULE_FIND(*cublas, cublasGemmEx);
  KJOULE_FIND(*cublas, cublasGemmStridedBatchedEx);
  KJOULE_FIND(*lt, cublasLtMatmulDescCreate);
  KJOULE_FIND(*lt, cublasLtMatmulDescDestroy);
  KJOULE_FIND(*lt, cublasLtMatmulDescSetAttribute);
  KJOULE_FIND(*lt, cublasLtMatrixLayoutCreate);
  KJOULE_FIND(*lt, cublasLtMatrixLayoutDestroy);
  KJOULE_FIND(*lt, cublasLtMatrixLayoutSetAttribute);
  KJOULE_FIND(*lt, cublasLtMatmulPreferenceCreate);
  KJOULE_FIND(*lt, cublasLtMatmulPreferenceDestroy);
  KJOULE_FIND(*lt, cublasLtMatmulPreferenceSetAttribute);
  KJOULE_FIND(*lt, cublasLtMatmulAlgoGetHeuristic);
  KJOULE_FIND(*lt, cublasLtMatmul);
#undef KJOULE_FIND
  if (missing != nullptr) {
    failure_ = fmt::format("{} has no function {}", cublas->name(), missing);
    return false;
  }
  const CublasStatus status = cublasCreate_v2(&handle_);
  if (status == kCublasSuccess) return true;
  failure_ = fmt::format("{} does not work with this driver ({})", cublas->name(), status_text(status));
  return false;
}

Cublas::Cublas() : driver_(Driver::loaded()) {
  driver_.check(driver_.cuInit(0), "CUDA could not be started");
  CUdevice device = 0;
  driver_.check(driver_.cuDeviceGet(&device, 0), "no GPU could be used");
  CUcontext context = nullptr;  // cuBLAS uses the primary context, as the CUDA runtime does
  driver_.check(driver_.cuDevicePrimaryCtxRetain(&context, device), "the GPU could not be used");
  driver_.check(driver_.cuCtxSetCurrent(context), "the GPU could not be used");
  bool loaded = false;
  for (const int major : kCublasMajors) loaded = loaded || load(major);
  if (!loaded)
    throw Error(failure_.empty()
                    ? "cuBLAS (libcublas.so.13, .12 or .11), which multiplies matrices, was not found"
                    : failure_,
                kInstallCublas);
  driver_.check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "no stream could be created");
  CUdeviceptr workspace = 0;
  driver_.check(driver_.cuMemAlloc(&workspace, kWorkspaceBytes),
                "the workspace of cuBLAS could not be allocated");
  workspace_ = reinterpret_cast<void*>(workspace);  // NOLINT(performance-no-int-to-ptr)
  for (const CublasStatus status :
       {cublasSetStream_v2(handle_, stream_), cublasSetWorkspace_v2(handle_, workspace_, kWorkspaceBytes)})
    if (status != kCublasSuccess)
      throw Error(fmt::format("cuBLAS could not be prepared ({})", status_text(status)), kInstallCublas);
}

std::string status_text(CublasStatus status) {
  switch (status) {
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kCublasNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return fmt::format("cuBLAS status {}", status);
  }
}

}  // namespace kjoule::blas
