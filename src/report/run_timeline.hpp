#pragma once
#include <cstddef>

#include "report/run_reports.hpp"
#include "report/timeline.hpp"

namespace kjoule {

/// The most operations of a run in a timeline. A million operations take about 200 MB as JSON.
constexpr size_t kMostTimelineOperations = 1'000'000;

/// Returns the timeline of a whole run: its first `most_operations` operations, and all its parts. The bars
/// of equal kernels have the kernel's index in RunSummary::kernels.
Timeline run_timeline(const ShownRun& run, KernelRules& rules,
                      size_t most_operations = kMostTimelineOperations);

}  // namespace kjoule
