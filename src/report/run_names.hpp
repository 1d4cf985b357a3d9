#pragma once
#include <cstdint>
#include <string>

#include "report/run_reports.hpp"

namespace kjoule {

// The names of kernels and parts of a run in reports and timelines.

/// Returns the name, grid and block of a kernel, or the direction of a copy.
const LoggedName& name_of(const ShownRun& run, const RunKernel& kernel);
/// Returns the names of all kernels of a run.
KernelNames names_of(const ShownRun& run, NameStyle style = NameStyle::shortened,
                     size_t length = kShortNameLength);
/// Returns the tier of an operation by its name. Copies and memsets are of the CUDA runtime.
Tier tier_of(const std::string& name, OperationKind kind, KernelRules& rules);
/// Returns grid, block and bytes of shared memory, such as " <<<1x1x1, 64x1x1, 0>>>"; empty for copies.
std::string sizes_of(const LoggedName& name);
/// Returns "loop: 20 iterations of 11 launches", or "single pass of 5 launches" for a period of 0. `even` is
/// whether all iterations have `period` launches.
std::string part_name(uint64_t period, uint64_t iterations, uint64_t launches, bool even);

}  // namespace kjoule
