#pragma once
#include <string>

#include "compare/iteration/comparison.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// One measured iteration with its recording and rows.
struct PageIteration {
  const Recording& recording;
  const RowList& rows;
  const Comparison& comparison;
};

/// Returns the page of a comparison as an HTML file.
std::string comparison_page(const PageIteration& iteration);

}  // namespace kjoule
