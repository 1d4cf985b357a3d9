#include "run/window_choice.hpp"

#include <algorithm>
#include <cmath>

#include "recording/make_pattern.hpp"
#include "recording/run_summary.hpp"
#include "recording/run_sums.hpp"
#include "run/planned_places.hpp"

namespace kjoule {

namespace {

/// Longest iteration of a loop that is measured as one window, in launches and in ns. A longer one would take
/// more time to measure than several windows of it.
constexpr uint64_t kMostOfLoop = 1200;
constexpr int64_t kMostOfLoop_ns = 50'000'000;
constexpr double kLoopPatience_s = 3;
constexpr double kPatience_s = 6;
constexpr int kMostTries = 2;        ///< largest number of searches for the same loop
constexpr double kLargestGap_s = 1;  ///< longest time that the program runs between two windows
constexpr int kTurns = 3;            ///< one window of so many is chosen anywhere in the run
constexpr size_t kBefore = 4;        ///< number of launches by which a place is found again

std::vector<uint64_t> hashes_of(const PhasePattern& pattern) {
  std::vector<uint64_t> hashes;
  for (const ExpectedLaunch& launch : pattern.iteration) hashes.push_back(launch.identity_hash);
  return hashes;
}

}  // namespace

NextWindow WindowChoice::next(const RunLog& log, const MeasuredKernels& measured) {
  NextWindow next = unmeasured_loops(log, summarize(log), measured);
  if (!next.loops.empty()) return next;
  next.search.patience_s = kPatience_s;
  next.search.place = anywhere(log);
  if (turn_++ % kTurns > 0) next.search.place->after = before_unmeasured(log, measured);
  return next;
}

NextWindow WindowChoice::unmeasured_loops(const RunLog& log, const RunSummary& summary,
                                          const MeasuredKernels& measured) {
  const RunSums sums(log);
  const std::vector<int64_t> unmeasured = unmeasured_ns(log, measured);
  NextWindow next{{{}, {}, kLoopPatience_s}};
  for (ChosenPhase& phase : choose_loops(log, summary)) {
    const uint64_t first = sums.launch_at(phase.facts.first), end = sums.launch_at(phase.facts.end);
    const bool has_unmeasured =
        std::any_of(unmeasured.begin() + static_cast<std::ptrdiff_t>(first),
                    unmeasured.begin() + static_cast<std::ptrdiff_t>(end), [](int64_t ns) { return ns > 0; });
    const bool is_long = phase.facts.launches() > kMostOfLoop || phase.facts.measured_ns > kMostOfLoop_ns;
    if (!has_unmeasured || is_long || ++tried_[hashes_of(phase.pattern)] > kMostTries) continue;
    phase.pattern.occurrence = 0;  // whichever comes next
    next.loops.emplace(phase.pattern.number, phase.facts);
    next.search.loops.push_back(std::move(phase.pattern));
  }
  return next;
}

WindowPlace WindowChoice::anywhere(const RunLog& log) {
  WindowPlace place = usual_window(log);
  const auto operations = static_cast<double>(log.operations.size());
  if (log.calls.size() > 1) {
    const double run_s = static_cast<double>(log.calls.back().time_ns - log.calls.front().time_ns) * 1e-9;
    const double largest_gap = run_s > 0 ? kLargestGap_s * operations / run_s : 0;
    place.skipped = static_cast<uint64_t>(largest_gap * std::uniform_real_distribution<double>(0, 1)(words_));
  }
  return place;
}

std::vector<ExpectedLaunch> WindowChoice::before_unmeasured(const RunLog& log,
                                                            const MeasuredKernels& measured) {
  const RunSums sums(log);
  const std::vector<int64_t> ns = unmeasured_ns(log, measured);
  std::discrete_distribution<size_t> draw(ns.begin(), ns.end());
  if (ns.empty() || std::all_of(ns.begin(), ns.end(), [](int64_t one) { return one == 0; })) return {};
  const uint64_t launch = draw(words_);
  const uint64_t first = launch - std::min<uint64_t>(launch, kBefore - 1);
  return expected_launches({first, launch + 1}, log, sums);
}

}  // namespace kjoule
