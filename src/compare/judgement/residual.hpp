#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns the lines of the residual: the causes of differences between sum, whole and the program's own
/// iteration, and the results of checks.
std::vector<std::string> residual_of(const Comparison& comparison);

}  // namespace kjoule
