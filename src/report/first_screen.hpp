#pragma once
#include <string>

#include "compare/result.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// Returns what `compare` prints first, in lines of at most 80 characters, mostly less than 30 of them: what
/// was measured, its times with the verdict, where the time between kernels goes, the `top` largest kernels,
/// and the energy if it was measured. Full names of kernels have lines of their own, which may be longer.
/// comparison_text() has the details.
std::string first_screen(const Comparison& comparison, size_t top, NameStyle style = NameStyle::shortened);

}  // namespace kjoule
