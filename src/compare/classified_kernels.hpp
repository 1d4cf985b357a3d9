#pragma once
#include <vector>

#include "compare/result.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Sets tier, family, data type and category of each kernel by its name. A kernel whose name matches no rule
/// keeps the tier with which it was recorded.
void classify(std::vector<KernelResult>& kernels, KernelRules& rules);

}  // namespace kjoule
