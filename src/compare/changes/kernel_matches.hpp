#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/changes/baseline.hpp"

namespace kjoule {

/// The part of the signature in which two matched kernels are equal.
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

/// Returns pairs of kernels that correspond to each other; each kernel is in at most one pair. First, kernels
/// with equal signatures are matched; then, among the remaining kernels, those with equal
/// KernelLikeness::values, and then those with equal names. Kernels with equal values or names are matched in
/// the order of their first launch, and only if both iterations have the same number of such kernels.
std::vector<KernelMatch> match_kernels(const std::vector<BaselineKernel>& before,
                                       const std::vector<BaselineKernel>& after);

}  // namespace kjoule
