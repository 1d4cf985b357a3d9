#pragma once

#include "compare/changes/difference.hpp"
#include "page/page.hpp"

namespace kjoule {

/// Returns the page of what changed between two runs.
Page difference_page(const Difference& difference, const ChangeLimits& limits);

}  // namespace kjoule
