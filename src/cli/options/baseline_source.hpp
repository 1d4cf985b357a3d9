#pragma once
#include <string>

#include "compare/changes/baseline.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Returns the baseline of a results folder of compare or layers: its iteration or its measured phases, and
/// its layers. Throws Error if the folder has no comparison.
Baseline baseline_of_folder(const std::string& folder);

/// Returns the baseline in a baseline file, or the one of a results folder.
Baseline read_baseline_source(const std::string& path);

}  // namespace kjoule
