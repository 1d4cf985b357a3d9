#pragma once
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Returns the kernels of a profiler trace with their counts. Iterations are those of `choice`; without a
/// choice, the ProfilerStep ranges; without these, the repetitions of launches. If there are none, they stay
/// unknown. Initial iterations whose launches never occur again are warm-up and not counted. Of several
/// devices, each has its own kernels and its iterations are found separately. Throws Error for a trace
/// without kernels, for overlapping iterations, and for devices that have different numbers of iterations.
ImportedTable make_profiler_table(const ProfilerTrace& trace, const ImportChoice& choice,
                                  const std::string& file);

}  // namespace kjoule
