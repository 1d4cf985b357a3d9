#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"
#include "names/name_style.hpp"

namespace kjoule {

/// Returns the findings, one line each: work of other programs on the device, launches that
/// do not stand for their part of the run, kernels that are missing from
/// the sum, a device that measuring made slower or faster, launches that replayed to other bits, kernels that
/// use memory of the host, an iteration that the device ran differently from the recording, energy that was
/// requested but not measured. `comparison` must be complete except for its findings.
std::vector<std::string> findings_of(const Comparison& comparison, NameStyle style = NameStyle::shortened);

}  // namespace kjoule
