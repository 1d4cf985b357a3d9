#include "measure/time/estimate.hpp"

#include "base/error.hpp"
#include "measure/time/clocked_estimate.hpp"
#include "measure/time/stamped_estimate.hpp"

namespace kjoule {

namespace {

/// Returns the times of the rounds that were measured with the instrument whose times have the type `Times`.
template <typename Times>
std::vector<const Times*> times_in(const std::vector<Round>& rounds) {
  std::vector<const Times*> all;
  for (const Round& round : rounds)
    if (const auto* times = std::get_if<Times>(&round.times)) all.push_back(times);
  return all;
}

}  // namespace

SumEstimate estimate(const KernelTable& table, const TimedIteration& iteration,
                     const std::vector<Round>& rounds, const std::vector<double>& launch_shares) {
  if (rounds.size() < kFewestRounds)
    throw Error(
        "too little was measured within the time limit: a result needs two complete rounds of measurements",
        "raise --time-limit");
  const auto clocked = times_in<ClockedLaunches>(rounds);
  const auto stamped = times_in<StampedLaunches>(rounds);
  if (!clocked.empty() && !stamped.empty())
    throw Error("the results folder contains times of two different methods of measuring",
                "repeat the command without --resume");
  if (!clocked.empty()) return estimate_clocked(table, clocked);
  return estimate_stamped(table, iteration, stamped, launch_shares);
}

KernelTable one_kernel_each(size_t launches) {
  KernelTable table;
  for (LaunchIndex i = 0; i < launches; ++i) {
    table.kernels.push_back({{}, {}, {}, {i}});
    table.kernel_of.push_back(i);
  }
  return table;
}

}  // namespace kjoule
