#pragma once
#include <map>
#include <optional>
#include <set>

#include "compare/energy.hpp"
#include "compare/result.hpp"
#include "measure/estimate.hpp"
#include "measure/isolated.hpp"

namespace kjoule {

/// All that was measured of a program.
struct Measured {
  SumEstimate estimate;
  double asked_half_width = 0;            ///< of the sum's interval, as a share of the whole
  std::set<LaunchIndex> joined{};         ///< launches that could not be timed apart from a neighbour
  std::optional<double> undisturbed_s{};  ///< see StampedPlan
  std::optional<EmptyKernelTimes> control{};
  std::vector<OtherStart> other_starts{};
  std::vector<IsolatedKernel> isolated;      ///< may be shorter than the table
  std::map<uint32_t, std::string> excluded;  ///< kernels missing from the sum, and why
  FullTiming full;
  OverlappedPlays overlapped{};  ///< empty where its launches cannot overlap
  std::optional<TimelineResult> timeline;
  std::optional<MeasuredEnergy> energy;
};

/// Puts it all together, explains the residual and gives the verdict.
Comparison make_comparison(const KernelTable& table, const Measured& measured);

}  // namespace kjoule
