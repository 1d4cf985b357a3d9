#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"

namespace kjoule {

/// Why sum, whole and the program's own iteration differ, and what was checked: a line each.
std::vector<std::string> residual_of(const Comparison& comparison);

}  // namespace kjoule
