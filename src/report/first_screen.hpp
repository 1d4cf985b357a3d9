#pragma once
#include <string>

#include "compare/result.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

// What `compare` prints first, in lines of at most 80 characters, mostly less than 30 of them. It has parts,
// so that each can be printed as soon as it is measured. largest_kernels() follows (kernel_table.hpp), or
// comparison_text(), which has the details.

/// Returns what was measured, and the times of one iteration.
std::string times_screen(const Comparison& comparison);
/// Returns the verdict on the times.
std::string verdict_screen(const Comparison& comparison);
/// Returns the energy of one iteration and the verdict on it; an empty text if none was requested.
std::string energy_screen(const Comparison& comparison);
/// Returns the ranks, the findings, and where the program's iteration goes.
std::string notes_screen(const Comparison& comparison);

}  // namespace kjoule
