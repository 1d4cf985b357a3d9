#pragma once
#include <vector>

#include "compare/result.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Gives each kernel the class that its name tells. One whose name no rule knows keeps the tier that it was
/// recorded with.
void classify(std::vector<KernelResult>& kernels, KernelRules& rules);

}  // namespace kjoule
