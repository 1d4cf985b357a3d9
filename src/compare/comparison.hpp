#pragma once
#include <map>
#include <optional>
#include <set>

#include "compare/energy.hpp"
#include "compare/result.hpp"
#include "measure/isolated/isolated_kernel.hpp"
#include "measure/time/estimate.hpp"

namespace kjoule {

/// All measurements of one program.
struct Measured {
  SumEstimate estimate;
  double asked_half_width = 0;             ///< see Comparison
  double requested_within = 0;             ///< see Comparison
  std::set<LaunchIndex> timed_together{};  ///< launches that could not be timed separately from a neighbour
  std::optional<double> undisturbed_s{};   ///< see StampedPlan::undisturbed_s
  std::optional<ControlTimes> control{};
  std::vector<OtherStart> other_starts{};
  std::optional<StartSpread> quoted_spread{};  ///< see Comparison
  std::optional<PartFacts> part{};             ///< see Comparison
  std::optional<IterationSpread> iteration_spread{};
  std::string iteration;  ///< which launches are the iteration and why; empty if that is not known
  std::vector<IsolatedKernel> isolated;      ///< may have fewer kernels than the table
  std::map<uint32_t, std::string> excluded;  ///< kernels that are missing from the sum, with the reason
  ProgramIterations program_iterations;
  std::optional<Interval> own_w;   ///< mean power, W, while the program ran by itself
  OverlappedReplays overlapped{};  ///< empty if the program's launches cannot overlap
  std::optional<TimelineResult> timeline;
  std::optional<VerifiedReplay> verification{};
  std::set<uint32_t> host_memory_kernels{};  ///< kernels that are given addresses in memory of the host
  std::optional<MeasuredEnergy> energy;
};

/// Returns the comparison of sum and whole, with the residual and the verdict.
Comparison make_comparison(const KernelTable& table, const Measured& measured);

}  // namespace kjoule
