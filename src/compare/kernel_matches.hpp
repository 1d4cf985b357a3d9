#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/baseline.hpp"

namespace kjoule {

/// What two matched kernels have in common.
enum class KernelLikeness {
  same,    ///< the whole signature
  values,  ///< name, grid, block and shared bytes, but not the hash of attributes and arguments
  name     ///< only the name: another grid, shape or type
};

/// A kernel of one iteration that corresponds to a kernel of another iteration.
struct KernelMatch {
  uint32_t before = 0, after = 0;  ///< indexes in the kernels of each iteration
  KernelLikeness likeness = KernelLikeness::same;
};

/// Returns the kernels that correspond to each other, each at most once: those with the same signature, then,
/// of the others, those that differ least. Kernels with other names never match. Kernels of one name that
/// differ match in order of their first launch, and only if both iterations have equally many of them.
std::vector<KernelMatch> match_kernels(const std::vector<BaselineKernel>& before,
                                       const std::vector<BaselineKernel>& after);

}  // namespace kjoule
