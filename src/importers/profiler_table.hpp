#pragma once
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Returns the kernels of a profiler trace with their counts. Iterations are found by `choice`; without a
/// choice by the ProfilerStep ranges; without these by an annotation that contains all launches, or by the
/// repetition of launches; otherwise they stay unknown. Initial iterations whose launches differ from the
/// later ones are warm-up and not counted. Each device has its own kernels, and its iterations are found
/// separately. Throws Error for a trace without kernels, for overlapping iterations, and for devices with
/// different numbers of iterations.
ImportedTable make_profiler_table(const ProfilerTrace& trace, const ImportChoice& choice,
                                  const std::string& file);

}  // namespace kjoule
