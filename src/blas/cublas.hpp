#pragma once
#include <string>

#include "base/process/library.hpp"
#include "blas/cublas_types.hpp"
#include "blas/driver.hpp"

namespace kjoule::blas {

/// cuBLAS and cuBLASLt of one version, with a handle, a stream and a workspace on the first GPU.
class Cublas : public CublasFunctions, public CublasLtFunctions {
 public:
  /// Loads the newest cuBLAS that works with the driver: libcublas.so.13, .12 or .11. Throws Error if there
  /// is no GPU, or if no such library works.
  Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  CublasHandle handle() const { return handle_; }
  CUstream stream() const { return stream_; }
  void* workspace() const { return workspace_; }
  /// Size of the workspace in bytes, as PyTorch uses it on an H100. Algorithms that need a larger workspace
  /// are not tried.
  static constexpr size_t kWorkspaceBytes = size_t{32} << 20;
  const Driver& driver() const { return driver_; }

 private:
  bool load(int major);

  const Driver& driver_;
  CublasHandle handle_ = nullptr;
  CUstream stream_ = nullptr;
  void* workspace_ = nullptr;
  std::string failure_;  ///< the reason why a library that was found does not work
};

/// Returns the name of a status: "CUBLAS_STATUS_NOT_SUPPORTED".
std::string status_text(CublasStatus status);

}  // namespace kjoule::blas
