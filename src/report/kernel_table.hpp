#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"
#include "report/kernel_columns.hpp"

namespace kjoule {

/// Returns the table of the `top` largest kernels of the first screen, which begins with their names.
std::string largest_kernels(const Comparison& comparison, size_t top, NameStyle style);
/// Returns the same with all columns, which are in the line below each name (-v).
std::string all_kernels(const Comparison& comparison, size_t top, const KernelNames& names);

/// Returns what follows a kernel's name in its signature, cut to `width` bytes.
std::string after_name(const KernelResult& kernel, size_t width);

}  // namespace kjoule
