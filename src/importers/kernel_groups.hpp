#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// The operations of a trace, grouped by signature.
struct KernelGroups {
  std::vector<ImportedKernel>
      kernels;                      ///< in order of first occurrence, launches and times still to be filled
  std::vector<uint32_t> kernel_of;  ///< for each of `operations`
};

/// `operations` are indices into the trace's.
KernelGroups group_kernels(const ProfilerTrace& trace, const LaunchLinks& links,
                           const std::vector<uint32_t>& operations);

}  // namespace kjoule
