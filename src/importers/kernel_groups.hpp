#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// The operations of a trace, grouped by signature.
struct KernelGroups {
  /// In order of first occurrence, without launches and times.
  std::vector<ImportedKernel> kernels;
  std::vector<uint32_t> kernel_of;  ///< for each grouped operation, its kernel's index in `kernels`
};

/// Groups the operations of a trace with the indices `operations`.
KernelGroups group_kernels(const ProfilerTrace& trace, const LaunchLinks& links,
                           const std::vector<uint32_t>& operations, const std::string& file);

}  // namespace kjoule
