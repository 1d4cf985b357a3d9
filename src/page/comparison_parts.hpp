#pragma once
#include "compare/iteration/comparison.hpp"
#include "page/page_table.hpp"

namespace kjoule {

/// A comparison with the name of its phase or rank.
struct NamedComparison {
  std::string name;
  const Comparison* comparison = nullptr;
};

/// Returns a line for each phase or rank.
PageTable iterations_table(const std::vector<NamedComparison>& comparisons);
/// Returns the times, energies and powers of the program's own iteration, of the whole and of the sum.
PageTable quantities_table(const Comparison& comparison);
/// Returns the parts into which the time of the program's own iteration is divided; empty if it was not
/// timed.
PageTable division_table(const Comparison& comparison);
/// Returns the times and energies of the kernels by category, and by tier.
PageTable categories_table(const Comparison& comparison);
PageTable tiers_table(const Comparison& comparison);
/// Returns all kernels.
PageTable kernels_table(const Comparison& comparison);
/// Returns the NVTX ranges as a tree; empty if there are none.
PageTable ranges_table(const Comparison& comparison);

}  // namespace kjoule
