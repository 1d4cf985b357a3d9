#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"

namespace kjoule {

/// Returns the residual: causes of the differences between sum, whole and the program's own iteration, and
/// the checks that were made; one line each.
std::vector<std::string> residual_of(const Comparison& comparison);

}  // namespace kjoule
