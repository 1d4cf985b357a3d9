#include "recording/make_pattern.hpp"

#include <algorithm>
#include <utility>

namespace kjoule {
namespace {

constexpr uint64_t kComparedIterations =
    16;                               ///< number of iterations that are compared with the measured one
constexpr uint64_t kMostBefore = 16;  ///< launches before an iteration of a loop

/// The launches of a run by their identities.
class IdentifiedRun {
 public:
  IdentifiedRun(const RunLog& log, const RunSums& sums) : log_(log), launches_(sums.launches()) {}

  const LaunchIdentity& identity(uint64_t launch) const {
    return log_.call_names[launches_[launch]->name].identity;
  }
  ExpectedLaunch expect(uint64_t launch, bool by_name) const {
    const LaunchIdentity& one = identity(launch);
    return {by_name ? one.name_hash : one.exact_hash, by_name, launches_[launch]->operations};
  }
  std::vector<ExpectedLaunch> expect(LaunchRange range) const {
    std::vector<ExpectedLaunch> all;
    for (uint64_t launch = range.first; launch < range.end; ++launch) all.push_back(expect(launch, false));
    return all;
  }
  /// Counts the launches before launch `end` at which the measured iteration could begin, too.
  uint64_t occurrences(const PhasePattern& pattern, uint64_t end) const {
    LastLaunches last;
    uint64_t count = 0;
    for (uint64_t launch = 0; launch < end; ++launch) {
      if (may_begin(pattern, identity(launch), last)) ++count;
      last.add(identity(launch));
    }
    return count;
  }

 private:
  const RunLog& log_;
  const std::vector<const HostCall*>& launches_;
};

/// Returns for each place of an even loop's iteration whether the launch there differs between iterations.
std::vector<bool> differing_places(const RunPart& loop, LaunchRange measured, const IdentifiedRun& run) {
  std::vector<bool> differ(loop.period, false);
  const uint64_t compared = std::min(loop.iterations, kComparedIterations);
  for (uint64_t i = 0; i < compared; ++i)
    for (uint64_t place = 0; place < loop.period; ++place)
      if (run.identity(loop.first + i * loop.period + place) != run.identity(measured.first + place))
        differ[place] = true;
  return differ;
}

/// Completes the pattern of an even loop: its launches, and the last launches of the iteration before, if
/// any.
void describe_iteration(const RunPart& loop, LaunchRange measured, const IdentifiedRun& run,
                        PhasePattern& pattern) {
  const std::vector<bool> differ = differing_places(loop, measured, run);
  for (uint64_t place = 0; place < loop.period; ++place)
    pattern.iteration[place] = run.expect(measured.first + place, differ[place]);
  if (measured.first < loop.first + loop.period) return;
  for (uint64_t place = loop.period - std::min(loop.period, kMostBefore); place < loop.period; ++place)
    pattern.before.push_back(run.expect(measured.first - loop.period + place, differ[place]));
}

/// Adds `occurrence` and, if it is empty, `before` to the pattern of an iteration that begins at launch
/// `first`.
PhasePattern find_first_place(PhasePattern pattern, uint64_t first, const IdentifiedRun& run) {
  pattern.occurrence = run.occurrences(pattern, first);
  if (!pattern.before.empty()) return pattern;
  // Adds launches before the iteration until no earlier position of the run matches.
  for (uint64_t length = 1; length <= LastLaunches::kMost && pattern.occurrence > 0; length *= 2) {
    pattern.before = run.expect({first - std::min(length, first), first});
    pattern.occurrence = run.occurrences(pattern, first);
  }
  return pattern;
}

/// Returns whether these launches are enough for a lead or a tail.
bool is_edge(LaunchRange launches, const RunSums& sums) {
  constexpr uint64_t kLaunches = 64;
  constexpr int64_t kBusy_ns = 1'000'000;
  return sums.operations(launches) >= kLaunches || sums.busy_ns(launches) >= kBusy_ns;
}

}  // namespace

std::vector<ExpectedLaunch> expected_launches(LaunchRange range, const RunLog& log, const RunSums& sums) {
  return IdentifiedRun(log, sums).expect(range);
}

PhasePattern pattern_of_iteration(uint32_t number, LaunchRange measured, const RunPart& loop,
                                  const RunLog& log, const RunSums& sums) {
  const IdentifiedRun run(log, sums);
  PhasePattern pattern{number, {}, run.expect(measured)};
  if (loop.even) describe_iteration(loop, measured, run, pattern);
  return find_first_place(std::move(pattern), measured.first, run);
}

PhasePattern pattern_of_pass(uint32_t number, LaunchRange measured, const RunLog& log, const RunSums& sums) {
  LaunchRange all = measured;
  while (all.first > 0 && !is_edge({all.first, measured.first}, sums)) --all.first;
  if (measured.first > 0)
    while (all.end < sums.launches().size() && !is_edge({measured.end, all.end}, sums)) ++all.end;
  const IdentifiedRun run(log, sums);
  PhasePattern pattern{number, {}, run.expect(all)};
  pattern.lead = static_cast<uint32_t>(measured.first - all.first);
  pattern.tail = static_cast<uint32_t>(all.end - measured.end);
  return find_first_place(std::move(pattern), all.first, run);
}

}  // namespace kjoule
