#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"

namespace kjoule {

/// What puts the figures in doubt although they were measured, a line each: work of others on the device,
/// kernels that are missing, a device that measuring made slower or faster, launches that replayed to other
/// bits, an iteration that the device ran otherwise than recorded, energy that was asked for and is not
/// there. `comparison` is complete but for its findings.
std::vector<std::string> findings_of(const Comparison& comparison);

}  // namespace kjoule
