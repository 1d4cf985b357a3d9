#include "compare/ranks/watched_rank.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "recording/activity.hpp"
#include "recording/collective_kernel.hpp"
#include "recording/run_sums.hpp"

namespace kjoule {

namespace {

constexpr int64_t kMostKept = 256;

/// Converts CUPTI's times to the host's clock, by the readings of both clocks that surround them.
class HostTimes {
 public:
  explicit HostTimes(const std::vector<LoggedClocks>& readings) : readings_(readings) {}

  int64_t of(int64_t device_ns) const {
    if (readings_.empty()) return device_ns;
    const auto after = std::ranges::upper_bound(readings_, device_ns, {}, &LoggedClocks::device_ns);
    if (after == readings_.begin()) return device_ns - ahead_ns(*after);
    const LoggedClocks& before = *std::prev(after);
    if (after == readings_.end()) return device_ns - ahead_ns(before);
    const double share = static_cast<double>(device_ns - before.device_ns) /
                         static_cast<double>(after->device_ns - before.device_ns);
    const auto drift_ns = static_cast<double>(ahead_ns(*after) - ahead_ns(before));
    return device_ns - ahead_ns(before) - static_cast<int64_t>(share * drift_ns);
  }

 private:
  static int64_t ahead_ns(const LoggedClocks& reading) { return reading.device_ns - reading.host_ns; }
  const std::vector<LoggedClocks>& readings_;
};

/// The launches of a rank's run with their operations, and the places at which its iterations begin.
class LoggedLaunches {
 public:
  LoggedLaunches(const RunLog& log, const Recording& recording)
      : log_(log), sums_(log), times_(log.clocks), operations_(sums_.launches().size()) {
    for (const DeviceOperation& operation : log.operations)
      if (const auto launch = sums_.launch_of(operation)) operations_[*launch].push_back(&operation);
    const nlohmann::json place = recording.program.value("place", nlohmann::json());
    if (!place.is_object()) throw Error("the recording does not state where its iteration begins");
    collectives_before_begin_ = place.at("collectives").get<int64_t>();
    calls_ = place.at("calls").get<uint64_t>();
    count_collectives();
  }

  size_t launches() const { return operations_.size(); }
  const std::vector<const DeviceOperation*>& operations(uint64_t launch) const { return operations_[launch]; }
  const HostCall& call(uint64_t launch) const { return *sums_.launches()[launch]; }
  bool is_complete(LaunchRange range) const { return sums_.is_complete(range); }
  int64_t host_ns(int64_t device_ns) const { return times_.of(device_ns); }

  /// Returns whether the run has enough collectives before the recorded iteration for this one.
  bool is_in_run(int64_t iteration, int64_t period) const {
    return collectives_before_begin_ + iteration * period >= 0;
  }

  /// Returns the launch with which an iteration begins; `iteration` is its number, `period` the number of
  /// collectives of each. Nothing if it is not in the log.
  std::optional<uint64_t> begin_of(int64_t iteration, int64_t period) const {
    const int64_t passed = collectives_before_begin_ + iteration * period;
    if (passed < 0) return {};
    const auto begin = std::ranges::lower_bound(collectives_before_, passed);
    if (begin == collectives_before_.end() || *begin != passed) return {};
    const auto next = std::ranges::upper_bound(collectives_before_, passed);
    const auto last = static_cast<uint64_t>(next - collectives_before_.begin()) - 1;
    const uint64_t launch = static_cast<uint64_t>(begin - collectives_before_.begin()) + calls_;
    if (next == collectives_before_.end() && launch > last) return {};  // the log ends before it
    return std::min(launch, last);
  }

  /// Returns by how much the device times of these launches may be ahead of the host's clock.
  ClockBounds clock_bounds(LaunchRange range) const {
    ClockBounds bounds;
    for (uint64_t launch = range.first; launch < range.end; ++launch)
      for (const DeviceOperation* operation : operations_[launch])
        bounds.most_ns = std::min(bounds.most_ns, host_ns(operation->begin_ns) - call(launch).time_ns);
    const int64_t least_ns = least_ahead_ns(range);
    // Otherwise the host does not wait for the launches that precede its waiting.
    if (least_ns <= bounds.most_ns) bounds.least_ns = least_ns;
    return bounds;
  }

 private:
  bool is_collective(const DeviceOperation& operation) const {
    return is_nccl_kernel(log_.operation_names[operation.name].name);
  }

  /// Counts the collectives before each launch. Those of a graph are counted in one of its launches whose
  /// operations are all in the log.
  void count_collectives() {
    std::map<uint32_t, int64_t> of_graph;
    for (uint64_t launch = 0; launch < launches(); ++launch)
      if (call(launch).kind == HostCallKind::graph && operations_[launch].size() == call(launch).operations)
        of_graph[call(launch).name] =
            std::ranges::count_if(operations_[launch], [&](const auto* one) { return is_collective(*one); });
    collectives_before_.assign(1, 0);
    for (uint64_t launch = 0; launch < launches(); ++launch) {
      const HostCall& one = call(launch);
      int64_t count = 0;
      if (one.kind == HostCallKind::graph) {
        const auto found = of_graph.find(one.name);
        count = found == of_graph.end() ? 0 : found->second;
      } else if (is_nccl_kernel(log_.call_names[one.name].name)) {
        count = 1;
      }
      collectives_before_.push_back(collectives_before_.back() + count);
    }
  }

  /// Returns the largest time by which the last operation before a wait of the host ends after this wait.
  int64_t least_ahead_ns(LaunchRange range) const {
    int64_t least_ns = ClockBounds().least_ns;
    std::map<uint32_t, uint64_t> last_of_thread;
    uint64_t launch = range.first;
    for (const HostCall* one = &call(range.first); one < log_.calls.data() + log_.calls.size(); ++one) {
      if (one->kind == HostCallKind::launch || one->kind == HostCallKind::graph) {
        if (launch == range.end) break;
        last_of_thread[one->thread] = launch++;
      }
      if (one->kind != HostCallKind::synchronise) continue;
      const auto last = last_of_thread.find(one->thread);
      if (last == last_of_thread.end()) continue;
      for (const DeviceOperation* operation : operations_[last->second])
        least_ns = std::max(least_ns, host_ns(operation->end_ns) - one->time_ns);
    }
    return least_ns;
  }

  const RunLog& log_;
  RunSums sums_;
  HostTimes times_;
  std::vector<std::vector<const DeviceOperation*>> operations_;  ///< by launch, in order of their begins
  std::vector<int64_t> collectives_before_;  ///< by launch; one value more: the number of all
  int64_t collectives_before_begin_ = 0;     ///< the rank's collectives before the recorded iteration
  uint64_t calls_ = 0;                       ///< launching calls between the last of these and the iteration
};

WatchedPart part_of(const DeviceOperation& operation, const std::string& name) {
  if (operation.kind != OperationKind::kernel) return WatchedPart::copy;
  return is_nccl_kernel(name) ? WatchedPart::collective : WatchedPart::computation;
}

std::vector<WatchedOperation> operations_of(const LoggedLaunches& log, LaunchRange range,
                                            const std::vector<std::string>& names) {
  std::vector<WatchedOperation> launches;
  for (uint64_t launch = range.first; launch < range.end; ++launch)
    for (const DeviceOperation* one : log.operations(launch))
      launches.push_back({log.call(launch).time_ns, log.host_ns(one->begin_ns), log.host_ns(one->end_ns),
                          one->stream, one->name, part_of(*one, names[one->name])});
  return launches;
}

/// Returns what each launch of the recording waits for; empty if the operations of the calls `range` cannot
/// be assigned to the launches by their order.
std::vector<std::vector<LaunchIndex>> dependencies_of(const Recording& recording, const LoggedLaunches& log,
                                                      LaunchRange range) {
  if (range.end - range.first != recording.launches.size()) return {};
  std::vector<std::vector<LaunchIndex>> waits_for;
  for (size_t place = 0; place < recording.launches.size(); ++place) {
    if (log.call(range.first + place).kind != HostCallKind::launch) return {};
    const nlohmann::json& detail = recording.launches[place].detail;
    waits_for.push_back(detail.value("after", std::vector<LaunchIndex>()));
  }
  return waits_for;
}

}  // namespace

WatchedRank watch_rank(std::string name, const RunLog& log, const Recording& recording) {
  WatchedRank rank;
  rank.rank = std::move(name);
  for (const LoggedName& one : log.operation_names) rank.names.push_back(readable_name(one.name));
  rank.collectives = recorded_collectives(recording);
  const LoggedLaunches launches(log, recording);
  const auto period = static_cast<int64_t>(rank.collectives.size());
  if (period == 0) throw Error("the iteration of " + rank.rank + " has no collective");
  const auto range_of = [&](int64_t iteration) -> std::optional<LaunchRange> {
    const auto begin = launches.begin_of(iteration, period), end = launches.begin_of(iteration + 1, period);
    if (!begin || !end || *begin >= *end || !launches.is_complete({*begin, *end})) return {};
    return LaunchRange{*begin, *end};
  };
  LaunchRange all;
  for (int64_t iteration = -1; launches.is_in_run(iteration, period); --iteration) {
    const auto range = range_of(iteration);
    if (!range && rank.iterations.empty()) continue;  // the log ends before its end
    if (!range || std::ssize(rank.iterations) == kMostKept) break;
    if (rank.iterations.empty()) {
      rank.waits_for = dependencies_of(recording, launches, *range);
      all.end = range->end;
    }
    all.first = range->first;
    rank.first = iteration;
    rank.iterations.push_back(operations_of(launches, *range, rank.names));
  }
  if (rank.iterations.empty())
    throw Error("the log of the program's run has no complete iteration of " + rank.rank);
  std::ranges::reverse(rank.iterations);
  rank.clock = launches.clock_bounds(all);
  return rank;
}

}  // namespace kjoule
