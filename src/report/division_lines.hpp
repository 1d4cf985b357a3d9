#pragma once
#include <string>
#include <vector>

#include "compare/iteration/iteration_division.hpp"

namespace kjoule {

/// One line of the division of the program's own iteration. Time that is counted twice is negative.
struct DivisionLine {
  const char* label;
  double seconds = 0;
};

/// Returns the parts that reports show, and what none of them explains. They add up to the iteration.
std::vector<DivisionLine> division_lines(const IterationDivision& division);

}  // namespace kjoule
