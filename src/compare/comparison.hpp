#pragma once
#include <map>

#include "measure/estimate.hpp"
#include "measure/isolated.hpp"
#include "results/timing.hpp"

namespace kjoule {

/// Puts estimate and isolated timings together, explains the residual and gives the verdict.
/// `isolated` may be shorter than the table; `excluded` says which kernels are missing from the sum, and why.
Comparison make_comparison(const KernelTable& table, const SumEstimate& estimate,
                           const std::vector<IsolatedKernel>& isolated,
                           const std::map<uint32_t, std::string>& excluded);

}  // namespace kjoule
