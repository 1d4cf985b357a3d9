#pragma once
#include <string>

#include "compare/iteration/comparison.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

// The first screen of `compare`: usually less than 30 lines of at most 80 characters. It consists of parts,
// so that each can be printed as soon as it is measured. largest_kernels() (kernel_table.hpp) follows, or
// with -v comparison_text(), which has all details.

/// Returns the title, the recorded iteration, and the times of one iteration; of several ranks, those of the
/// group.
std::string times_screen(const Comparison& comparison);
/// Returns the verdict on the times.
std::string verdict_screen(const Comparison& comparison);
/// Returns the energy of one iteration and the verdict on it; an empty text if no energy was requested.
std::string energy_screen(const Comparison& comparison);
/// Returns the ranks with their collectives and what they did in the program's own iterations, or, of a
/// program with one rank, the parts of its own iteration; also the replayed table and the findings.
std::string notes_screen(const Comparison& comparison);

}  // namespace kjoule
