#pragma once
#include <string>

#include "compare/result.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

// What `compare` prints first, in lines of at most 80 characters, mostly less than 30 of them. It has parts,
// so that each can be printed as soon as it is measured. comparison_text() has the details.

/// Returns what was measured, and the times of one iteration.
std::string times_screen(const Comparison& comparison);
/// Returns the verdict on the times.
std::string verdict_screen(const Comparison& comparison);
/// Returns the energy of one iteration and the verdict on it; an empty text if none was requested.
std::string energy_screen(const Comparison& comparison);
/// Returns the findings, the launch gaps, and the `top` largest kernels. Full names of
/// kernels have lines of their own, which may be longer.
std::string kernels_screen(const Comparison& comparison, size_t top, NameStyle style = NameStyle::shortened);

}  // namespace kjoule
