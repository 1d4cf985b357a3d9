#include "recording/make_pattern.hpp"

#include <algorithm>

namespace kjoule {
namespace {

constexpr uint64_t kComparedIterations =
    16;                               ///< iterations whose launches are compared with the measured ones
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
    return {by_name ? one.name : one.exact, by_name, launches_[launch]->operations};
  }
  std::vector<ExpectedLaunch> expect(LaunchRange range) const {
    std::vector<ExpectedLaunch> all;
    for (uint64_t launch = range.first; launch < range.end; ++launch) all.push_back(expect(launch, false));
    return all;
  }
  /// Counts the launches before `end` with which the iteration may begin.
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

/// Returns for each place of an even loop's iteration whether its launches differ from iteration to
/// iteration.
std::vector<bool> differing_places(const RunPart& loop, LaunchRange measured, const IdentifiedRun& run) {
  std::vector<bool> differ(loop.period, false);
  const uint64_t compared = std::min(loop.iterations, kComparedIterations);
  for (uint64_t i = 0; i < compared; ++i)
    for (uint64_t place = 0; place < loop.period; ++place)
      if (run.identity(loop.first + i * loop.period + place) != run.identity(measured.first + place))
        differ[place] = true;
  return differ;
}

/// Describes an iteration of an even loop: by the end of the iteration before it, if there is one.
void describe_iteration(const RunPart& loop, LaunchRange measured, const IdentifiedRun& run,
                        PhasePattern& pattern) {
  const std::vector<bool> differ = differing_places(loop, measured, run);
  for (uint64_t place = 0; place < loop.period; ++place)
    pattern.iteration[place] = run.expect(measured.first + place, differ[place]);
  if (measured.first < loop.first + loop.period) return;
  for (uint64_t place = loop.period - std::min(loop.period, kMostBefore); place < loop.period; ++place)
    pattern.before.push_back(run.expect(measured.first - loop.period + place, differ[place]));
}

}  // namespace

PhasePattern make_pattern(uint32_t number, LaunchRange measured, const RunPart* loop, const RunLog& log,
                          const RunSums& sums) {
  const IdentifiedRun run(log, sums);
  PhasePattern pattern{number, {}, run.expect(measured), 0};
  if (loop != nullptr && loop->even) describe_iteration(*loop, measured, run, pattern);
  pattern.occurrence = run.occurrences(pattern, measured.first);
  if (!pattern.before.empty()) return pattern;
  // Add launches before the iteration until no earlier place of the run matches.
  for (uint64_t length = 1; length <= LastLaunches::kMost && pattern.occurrence > 0; length *= 2) {
    pattern.before = run.expect({measured.first - std::min(length, measured.first), measured.first});
    pattern.occurrence = run.occurrences(pattern, measured.first);
  }
  return pattern;
}

}  // namespace kjoule
