#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "compare/run/stored_run.hpp"
#include "page/page.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// One measured iteration with its recording and rows.
struct PageIteration {
  std::string name;  ///< of its phase or rank; empty if it is the only one
  const Recording* recording;
  const RowList* rows;
  const Comparison* comparison;
};

/// Returns the sections of the results of these iterations, as comparison_page() has them.
std::vector<PageSection> comparison_sections(const std::vector<PageIteration>& iterations);
/// Returns the page of a comparison. Several iterations, which must not be empty, are those
/// of the phases or ranks of one program; the first comparison has what its ranks did together.
Page comparison_page(const std::vector<PageIteration>& iterations);
/// Returns the page of a run that was measured in phases or windows; `iterations` are those of them whose
/// results it has, and may be empty.
Page run_page(const StoredRun& run, const std::vector<PageIteration>& iterations);

}  // namespace kjoule
