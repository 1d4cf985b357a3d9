#pragma once
#include <string>

#include "compare/changes/difference.hpp"

namespace kjoule {

/// Returns the page of what changed between two runs as an HTML file.
std::string difference_page(const Difference& difference, const ChangeLimits& limits);

}  // namespace kjoule
