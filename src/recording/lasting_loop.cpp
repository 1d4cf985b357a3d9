#include "recording/lasting_loop.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/numbers/statistics.hpp"
#include "recording/host_pause.hpp"
#include "recording/loop_delimiter.hpp"
#include "recording/run_structure.hpp"

namespace kjoule {
namespace {

constexpr double kShareOfTime = 0.8;  ///< share of the last host time that loops of one kind must fill
constexpr uint64_t kMostPauses = 7;   ///< number of last iterations whose pauses are compared
constexpr size_t kFewestBegins = 3;   ///< begins of two iterations, and the launch after them
/// Multiplied by the thread's number and combined with a launch's hash, so that equal launches of different
/// threads have different hashes. The number is odd, with bits in all places.
constexpr uint64_t kThreadBits = 0x9e3779b97f4a7c15;

/// Returns the first launches of a loop's iterations, and the launch after the last one.
std::vector<uint64_t> begins_of(const RunPart& loop) {
  std::vector<uint64_t> begins = loop.begins;
  for (uint64_t i = 0; loop.even && i <= loop.iterations; ++i) begins.push_back(loop.first + i * loop.period);
  return begins;
}

/// The structure of some launches, and their host times.
class WatchedRun {
 public:
  explicit WatchedRun(std::span<const WatchedLaunch> launches) : launches_(launches) {
    std::unordered_map<uint64_t, uint32_t> numbers;
    std::vector<uint32_t> signatures;
    std::vector<uint64_t> address_hashes, waits;
    signatures.reserve(launches.size());
    address_hashes.reserve(launches.size());
    for (const WatchedLaunch& launch : launches) {
      const auto next = static_cast<uint32_t>(numbers.size());
      signatures.push_back(numbers.emplace(launch.shape_hash, next).first->second);
      address_hashes.push_back(launch.address_hash);
      if (launch.after_wait) waits.push_back(signatures.size() - 1);
    }
    structure_ = find_structure({signatures, address_hashes, waits});
  }

  /// Returns the loop at the end; null if there is none. Less than an iteration's launches may follow it: if
  /// iterations begin and end with equal copies, the last copies form a part of their own.
  const RunPart* last_loop() const {
    const std::vector<RunPart>& parts = structure_.parts;
    if (parts.back().period > 0) return &parts.back();
    if (parts.size() < 2) return nullptr;
    const RunPart& before = parts[parts.size() - 2];
    return parts.back().launches < before.period ? &before : nullptr;
  }
  /// Returns the host time of all parts of a kind since `begin_ns`.
  int64_t time_of(uint32_t kind, int64_t begin_ns) const {
    int64_t total = 0;
    for (const RunPart& part : structure_.parts)
      if (part.kind == kind) total += std::max<int64_t>(0, end_of(part) - std::max(begin_of(part), begin_ns));
    return total;
  }
  /// Returns the first part of the loops that take the most host time, except for loops of `kind`; null if
  /// there is no other loop.
  const RunPart* next_loop(uint32_t kind) const {
    std::map<uint32_t, int64_t> times;
    const RunPart* next = nullptr;
    for (const RunPart& part : structure_.parts) {
      if (part.period == 0 || part.kind == kind || times.contains(part.kind)) continue;
      times[part.kind] = time_of(part.kind, launches_.front().time_ns);
      if (next == nullptr || times[part.kind] > times[next->kind]) next = &part;
    }
    return next;
  }
  /// Describes a loop. Returns nothing if its iterations differ in length and no launch occurs once in each.
  std::optional<LastingLoop> describe(const RunPart& loop) const;
  /// Describes a loop whose launches are all of one thread, with the launches of all threads (`all`) within
  /// it.
  std::optional<LastingLoop> describe_among(std::span<const WatchedLaunch> all, const RunPart& loop) const;

 private:
  int64_t begin_of(const RunPart& part) const { return launches_[part.first].time_ns; }
  int64_t end_of(const RunPart& part) const {
    const size_t after = part.first + part.launches;
    return after < launches_.size() ? launches_[after].time_ns : launches_.back().time_ns;
  }
  /// Sets the first launch of the iterations, the one with the greatest pause before it, and this pause.
  void begin_after_pause(const RunPart& loop, LastingLoop& found) const;
  HostPause pause_before(const RunPart& loop, size_t place) const;
  void describe_even(const RunPart& loop, LastingLoop& found) const;
  LastingLoop describe_counts(const RunPart& loop) const;
  uint64_t launches_of_iteration(const RunPart& part) const {
    return launches_[part.first + part.period].number - launches_[part.first].number;
  }

  std::span<const WatchedLaunch> launches_;
  RunStructure structure_;
};

HostPause WatchedRun::pause_before(const RunPart& loop, size_t place) const {
  std::vector<size_t> repetitions;
  for (uint64_t i = loop.iterations; i-- > 0 && repetitions.size() < kMostPauses;) {
    const size_t at = loop.first + i * loop.period + place;
    if (at < launches_.size()) repetitions.push_back(at);
  }
  return find_pause(launches_, repetitions);
}

void WatchedRun::begin_after_pause(const RunPart& loop, LastingLoop& found) const {
  std::optional<HostPause> greatest;
  for (size_t place = 0; place < loop.period; ++place) {
    const HostPause pause = pause_before(loop, place);
    if (greatest && pause <= *greatest) continue;
    greatest = pause;
    found.first = launches_[loop.first + place].number;
    found.pause_ns = pause.ns;
  }
}

void WatchedRun::describe_even(const RunPart& loop, LastingLoop& found) const {
  begin_after_pause(loop, found);
  found.length = launches_of_iteration(loop);
  std::vector<double> times;
  for (uint64_t i = 1; i < loop.iterations; ++i) {
    const size_t at = loop.first + i * loop.period;
    times.push_back(static_cast<double>(launches_[at].time_ns - launches_[at - loop.period].time_ns));
  }
  found.iteration_ns = static_cast<int64_t>(median(times));
}

/// Adds the launch that begins each iteration, and the lengths of the iterations.
void describe_uneven(std::span<const WatchedLaunch> launches, const LoopDelimiter& delimiter,
                     LastingLoop& found) {
  found.first = launches[delimiter.places.front()].number;
  found.begin.shape_hash = launches[delimiter.places.front()].shape_hash;
  found.pause_ns = delimiter.pause.ns;
  found.shortest = UINT64_MAX;
  std::vector<double> times;
  for (size_t i = 1; i < delimiter.places.size(); ++i) {
    const WatchedLaunch& begin = launches[delimiter.places[i - 1]];
    const WatchedLaunch& end = launches[delimiter.places[i]];
    found.shortest = std::min(found.shortest, end.number - begin.number);
    found.longest = std::max(found.longest, end.number - begin.number);
    times.push_back(static_cast<double>(end.time_ns - begin.time_ns));
  }
  found.iteration_ns = static_cast<int64_t>(median(times));
}

LastingLoop WatchedRun::describe_counts(const RunPart& loop) const {
  LastingLoop found;
  found.iterations = loop.iterations;
  found.repeating_share = loop.repeating_share;
  if (const RunPart* next = next_loop(loop.kind)) {
    found.other_length = launches_of_iteration(*next);
    found.other_first = launches_[next->first].number;
    found.other_iterations = next->iterations;
  }
  return found;
}

std::optional<LastingLoop> WatchedRun::describe(const RunPart& loop) const {
  LastingLoop found = describe_counts(loop);
  if (loop.even) {
    describe_even(loop, found);
    return found;
  }
  const auto delimiter = find_delimiter(launches_, begins_of(loop));
  if (!delimiter) return {};
  describe_uneven(launches_, *delimiter, found);
  return found;
}

std::optional<LastingLoop> WatchedRun::describe_among(std::span<const WatchedLaunch> all,
                                                      const RunPart& loop) const {
  std::vector<uint64_t> begins;
  for (const uint64_t begin : begins_of(loop)) {
    if (begin == launches_.size()) continue;  // other threads may not have ended their last iteration
    const auto at = std::ranges::lower_bound(all, launches_[begin].number, {}, &WatchedLaunch::number);
    begins.push_back(static_cast<uint64_t>(at - all.begin()));
  }
  if (begins.size() < kFewestBegins) return {};
  std::vector<WatchedLaunch> by_thread(all.begin(), all.end());
  for (WatchedLaunch& launch : by_thread) launch.shape_hash ^= kThreadBits * launch.thread;
  const auto delimiter = find_delimiter(by_thread, begins);
  if (!delimiter) return {};
  LastingLoop found = describe_counts(loop);
  describe_uneven(all, *delimiter, found);
  found.begin.thread = all[delimiter->places.front()].thread;
  return found;
}

/// Returns the launches of the thread with the most launches; none if only one thread launches.
std::vector<WatchedLaunch> of_busiest_thread(std::span<const WatchedLaunch> launches) {
  std::map<uint32_t, size_t> counts;
  for (const WatchedLaunch& launch : launches) ++counts[launch.thread];
  if (counts.size() < 2) return {};
  const auto busiest = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  std::vector<WatchedLaunch> own;
  for (const WatchedLaunch& launch : launches)
    if (launch.thread == busiest->first) own.push_back(launch);
  return own;
}

/// The period at the end of the launches that a loop must fill.
struct Window {
  int64_t window_ns = 0;  ///< host time of the period
  int64_t needed_ns = 0;  ///< least host time of the loop within it
};

Window window_of(const WatchedLaunches::Extent& launches, int64_t lasting_ns) {
  const bool is_full = launches.launches + WatchedLaunches::kMost / 16 >= WatchedLaunches::kMost;
  const int64_t window_ns = is_full ? std::min(launches.reach_ns, lasting_ns) : lasting_ns;
  return {window_ns, static_cast<int64_t>(kShareOfTime * static_cast<double>(window_ns))};
}

}  // namespace

bool can_last(const WatchedLaunches::Extent& launches, int64_t lasting_ns) {
  return launches.launches > 0 && launches.reach_ns >= window_of(launches, lasting_ns).needed_ns;
}

std::optional<LastingLoop> find_lasting_loop(std::span<const WatchedLaunch> launches, int64_t lasting_ns) {
  if (launches.empty()) return {};
  const int64_t end_ns = launches.back().time_ns;
  const WatchedLaunches::Extent extent{launches.size(), end_ns - launches.front().time_ns};
  if (!can_last(extent, lasting_ns)) return {};
  const auto [window_ns, needed_ns] = window_of(extent, lasting_ns);
  const auto lasts = [&, window_ns = window_ns, needed_ns = needed_ns](const WatchedRun& run) {
    const RunPart* loop = run.last_loop();
    return loop != nullptr && run.time_of(loop->kind, end_ns - window_ns) >= needed_ns ? loop : nullptr;
  };
  const WatchedRun run(launches);
  if (const RunPart* loop = lasts(run)) return run.describe(*loop);
  const std::vector<WatchedLaunch> of_thread = of_busiest_thread(launches);
  if (of_thread.empty()) return {};
  const WatchedRun thread_run(of_thread);
  const RunPart* loop = lasts(thread_run);
  return loop != nullptr ? thread_run.describe_among(launches, *loop) : std::nullopt;
}

}  // namespace kjoule
