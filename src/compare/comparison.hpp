#pragma once
#include <map>
#include <optional>

#include "measure/estimate.hpp"
#include "measure/isolated.hpp"
#include "results/timing.hpp"

namespace kjoule {

/// All that was measured of a program.
struct Measured {
  SumEstimate estimate;
  std::vector<IsolatedKernel> isolated;      ///< may be shorter than the table
  std::map<uint32_t, std::string> excluded;  ///< kernels missing from the sum, and why
  FullTiming full;
  std::vector<double> overlapped_s;  ///< each play of the iteration with the program's own streams
  std::optional<TimelineResult> timeline;
};

/// Puts it all together, explains the residual and gives the verdict.
Comparison make_comparison(const KernelTable& table, const Measured& measured);

}  // namespace kjoule
