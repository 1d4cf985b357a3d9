#pragma once
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "report/kernel_names.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A kernel with the data that its columns need.
struct ReportedKernel {
  const KernelResult* kernel = nullptr;
  const KernelNames* names = nullptr;
  const Comparison* of = nullptr;  ///< comparison that contains the kernel; null if the kernel was only
                                   ///< recorded, or timed in isolation
};

/// Returns the columns of all tables of kernels: of a comparison, of a recording, and of kernels in
/// isolation. Each table shows some of them (TableColumn::places).
const std::vector<TableColumn<ReportedKernel>>& kernel_columns();

/// Returns the rows of kernels; `of` may be null. The rows point into both arguments.
std::vector<ReportedKernel> kernel_rows(const std::vector<KernelResult>& kernels, const KernelNames& names,
                                        const Comparison* of = nullptr);

}  // namespace kjoule
