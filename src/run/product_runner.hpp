#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/runner.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

/// Returns the command that starts kjoule-blas, which also finds the cuBLAS of the torch that KJOULE_TORCH
/// names. Throws Error if kjoule-blas is missing.
RunnerCommand product_runner_command(std::vector<std::string> arguments);

/// Starts a kjoule-blas that answers whether cuBLAS can compute matrix products. Throws Error if it cannot be
/// started, or if there is no GPU or no cuBLAS.
std::unique_ptr<Runner> start_product_runner();

}  // namespace kjoule
