#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "report/kernel_columns.hpp"

namespace kjoule {

/// Returns the table of the `top` largest kernels on the first screen, with the names in the first column.
std::string largest_kernels(const Comparison& comparison, size_t top, NameStyle style);
/// Returns the table of the `top` largest kernels with all columns (-v): each name, and below it a line with
/// the columns.
std::string all_kernels(const Comparison& comparison, size_t top, const KernelNames& names);

/// Returns what follows a kernel's name in its signature, cut to `width` bytes.
std::string after_name(const KernelResult& kernel, size_t width);

}  // namespace kjoule
