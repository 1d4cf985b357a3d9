#include "cuda/replay/observed_iteration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "cuda/ranks/rank_peers.hpp"
#include "cuda/replay/stamped_track.hpp"

namespace kjoule::cuda {

namespace {

constexpr int kReplays = 5;
constexpr uint64_t kSomeNode = 1;

ActivityKind kind_of(const Call& call) {
  if (std::holds_alternative<KernelCall>(call.what)) return ActivityKind::kernel;
  return std::holds_alternative<CopyCall>(call.what) ? ActivityKind::memcpy : ActivityKind::memset;
}

uint64_t bytes_of(const Call& call) {
  if (const auto* copy = std::get_if<CopyCall>(&call.what)) return copy->bytes();
  if (const auto* set = std::get_if<MemsetCall>(&call.what))
    return set->width * set->height * set->element_bytes;
  return 0;
}

/// Returns the number of iterations of one replay from which the launch times of one iteration are read. A
/// window that is no iteration is replayed once.
size_t iterations_for_times(const ReplayContext& context) {
  return context.is_closed ? 3 : 1;
}

/// Returns iterations with a stamp after the very first launch and one after the last launch, because a track
/// needs two stamps. The last of several iterations is undisturbed: it follows a complete iteration, and no
/// stamp lies within it, even if the iteration is a single launch.
StampedWork whole_iterations(size_t launches, size_t iterations) {
  StampedWork work;
  work.launches.resize(iterations * launches);
  for (size_t place = 0; place < work.launches.size(); ++place)
    work.launches[place] = static_cast<LaunchIndex>(place % launches);
  work.stamped_after = {0, static_cast<uint32_t>(work.launches.size() - 1)};
  return work;
}

bool is_stamp(const Activity& record) {
  return record.kind == ActivityKind::kernel && record.name == StampKernels::kStampName;
}

/// Adds the launch times of the last iteration of one replay to `seconds`, and returns its gaps, in s. The
/// records of a replay are, in order: a read of the clocks, the launches with the stamps, another read of the
/// clocks, and the copies that restore memory.
double add_last_iteration(const std::vector<Activity>& records, size_t iterations,
                          const std::vector<Call>& calls, std::vector<std::vector<double>>& seconds) {
  int64_t gaps_ns = 0;
  const std::vector<TimelineTime> times = timeline_times(records);
  std::vector<size_t> launches;
  for (size_t at = 1; at < records.size(); ++at)
    if (!is_stamp(records[at])) launches.push_back(at);
  for (size_t i = 0; i < calls.size(); ++i) {
    const size_t at = launches.at((iterations - 1) * calls.size() + i);
    if (records[at].kind != kind_of(calls[i]))
      throw Error(fmt::format("CUPTI's record of launch {} describes another kind of operation, a {}", i,
                              activity_kind_name(records[at].kind)));
    seconds[i].push_back(static_cast<double>(times[at].total_ns()) * 1e-9);
    gaps_ns += std::max<int64_t>(0, times[at].gap_ns);
  }
  return static_cast<double>(gaps_ns) * 1e-9;
}

/// Compares the recorded calls with the activities that the device ran. The nodes of all graphs are compared
/// as one set, because their records may name any stream.
Audit audit_iteration(ProgramMonitor& monitor, std::vector<Activity> activities) {
  std::vector<RecordedOperation> operations;
  for (const Call& call : monitor.iteration().calls()) {
    const auto* kernel = std::get_if<KernelCall>(&call.what);
    const auto own = monitor.iteration().own_streams().find(call.stream);
    const uint64_t stream = own != monitor.iteration().own_streams().end()
                                ? own->second
                                : monitor.cupti().stream_id(monitor.wait_for_context(), call.stream);
    operations.push_back({kind_of(call), kernel != nullptr ? kernel->function->name : "", stream,
                          bytes_of(call), call.from_graph ? kSomeNode : 0});
  }
  for (Activity& activity : activities)
    if (activity.graph_node != 0) activity.graph_node = kSomeNode;
  return audit(operations, activities);
}

}  // namespace

void ObservedIteration::begin() {
  try {
    if (!log_) log_.emplace(cupti_, device_);
    log_->begin();
    failure_.reset();
  } catch (const Error& error) {
    failure_ = error;
  }
}

void ObservedIteration::end(ProgramMonitor& monitor) {
  if (failure_) return;
  try {
    observation_ = {};
    observation_.iteration = log_->end();
    observation_.audit = audit_iteration(monitor, observation_.iteration);
    for (Activity& activity : observation_.iteration) activity.name = kjoule::readable_name(activity.name);
  } catch (const Error& error) {
    failure_ = error;
  }
}

Observation ObservedIteration::observation() const {
  if (failure_) throw *failure_;
  return observation_;
}

std::optional<TimelineTotals> ObservedIteration::totals() const {
  if (failure_ || observation_.iteration.empty()) return {};
  try {
    return timeline_totals(observation_.iteration);
  } catch (const Error&) {
    return {};
  }
}

ActivityLog& ObservedIteration::log() {
  if (failure_) throw *failure_;
  return *log_;
}

TimesInWhole times_in_whole(const ReplayContext& context, ActivityLog& log) {
  log.begin();  // before the graph is created: CUPTI prepares graphs for logging
  const size_t iterations = iterations_for_times(context);
  StampedTrack track(context, whole_iterations(context.calls.size(), iterations));
  track.enqueue(kReplays);
  track.wait();
  std::vector<Activity> records = log.end();
  std::erase_if(records, [](const Activity& record) {
    return record.graph_node == 0 || record.name == RankPeers::kMeetingName;
  });
  const size_t each = records.size() / kReplays;
  const size_t launches = iterations * context.calls.size();
  if (records.size() % kReplays != 0 || each < launches + 4)  // two stamps and two reads of the clocks
    throw Error(fmt::format("{} launches were replayed {} times, but CUPTI has {} records of these replays",
                            launches, kReplays, records.size()));
  std::vector<std::vector<double>> seconds(context.calls.size());
  std::vector<double> gaps_s;
  for (int replay = 0; replay < kReplays; ++replay) {
    const auto first = records.begin() + static_cast<std::ptrdiff_t>(each * static_cast<size_t>(replay));
    gaps_s.push_back(add_last_iteration({first, first + static_cast<std::ptrdiff_t>(each)}, iterations,
                                        context.calls, seconds));
  }
  TimesInWhole times;
  times.gaps_s = median(gaps_s);
  for (const auto& values : seconds) times.launch_s.push_back(median(values));
  return times;
}

}  // namespace kjoule::cuda
