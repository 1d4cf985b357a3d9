#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "names/name_style.hpp"

namespace kjoule {

/// Returns the findings, one line each. Their causes are: work of other programs on the device; an iteration
/// that does not represent its loop; kernels that are missing from the sum; a device that measuring made
/// slower or faster; launches whose replay gave other bits; kernels that use host memory; an iteration that
/// the device ran differently from the recording; energy that was requested but not measured. `comparison`
/// must be complete except for its findings.
std::vector<std::string> findings_of(const Comparison& comparison, NameStyle style = NameStyle::shortened);

}  // namespace kjoule
