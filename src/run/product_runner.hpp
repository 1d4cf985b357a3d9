#pragma once
#include <memory>
#include <string>

#include "device/runner.hpp"

namespace kjoule {

/// Sets LD_LIBRARY_PATH so that the next kjoule-blas also finds the cuBLAS of the torch that KJOULE_TORCH
/// names. Returns the program's path. Throws Error if it is missing.
std::string prepared_product_runner();

/// Starts a kjoule-blas that answers whether cuBLAS can compute matrix products. Throws Error if it cannot be
/// started, or if there is no GPU or no cuBLAS.
std::unique_ptr<Runner> start_product_runner();

}  // namespace kjoule
