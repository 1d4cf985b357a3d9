#pragma once
#include <functional>
#include <string>
#include <vector>

#include "blas/cublas.hpp"
#include "recording/extent.hpp"

namespace kjoule::blas {

/// A kernel that a call launches.
struct CapturedKernel {
  std::string name;  ///< readable
  Extent grid{}, block{};
};

/// Returns the kernels that a call would launch, without running them: the call is captured into a CUDA
/// graph, whose nodes are read. `status` receives the result of the call; if this result is an error, returns
/// no kernels. Throws Error if the driver cannot capture the call.
std::vector<CapturedKernel> captured_kernels(const Cublas& cublas, const std::function<CublasStatus()>& call,
                                             CublasStatus& status);

}  // namespace kjoule::blas
