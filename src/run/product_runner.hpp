#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/runner.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

/// Returns the command that starts kjoule-blas. The started process also finds cuBLAS in the torch package
/// that KJOULE_TORCH names. Throws Error if kjoule-blas is missing.
RunnerCommand product_runner_command(std::vector<std::string> arguments);

/// Starts a kjoule-blas process, which tries whether cuBLAS can compute given matrix products. Throws Error
/// if the process cannot be started, or if there is no GPU or no cuBLAS.
std::unique_ptr<Runner> start_product_runner();

}  // namespace kjoule
