#include "recording/iteration_parts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <vector>

namespace kjoule {

namespace {

/// The parts of an iteration's time. Where several overlap, the first one counts.
enum class Part : uint8_t { kernel, device_copy, transfer, staged, gap };
constexpr size_t kParts = 5;

Part part_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::kernel:
      return Part::kernel;
    case OperationKind::copy:
    case OperationKind::set:
      return Part::device_copy;
    case OperationKind::transfer:
      return Part::transfer;
    case OperationKind::staged_transfer:
      return Part::staged;
  }
  return Part::gap;
}

/// Converts a host time to the device's clock, by the next reading of both clocks, or the last one. `clocks`
/// must not be empty.
int64_t on_device_clock(int64_t host_ns, const std::vector<LoggedClocks>& clocks) {
  const auto later = std::ranges::lower_bound(clocks, host_ns, {}, &LoggedClocks::host_ns);
  const LoggedClocks& sample = later == clocks.end() ? clocks.back() : *later;
  return host_ns + sample.device_ns - sample.host_ns;
}

/// Begin and end of a host call, on the device's clock.
struct CallSpan {
  int64_t begin_ns = 0, end_ns = 0;
};
using CallSpans = std::unordered_map<uint32_t, CallSpan>;  ///< by correlation

/// Sets the times of the calls in `calls`. They are searched from the first of `launches` to the launch after
/// the last.
void find_calls(const RunSums& sums, LaunchRange launches, CallSpans& calls) {
  constexpr ptrdiff_t kLater = 256;  // calls: other threads may launch before a copy's call ends
  const std::vector<HostCall>& all = sums.log().calls;
  const auto place_of = [&](uint64_t launch) { return sums.launches()[launch] - all.data(); };
  const ptrdiff_t end = std::min<ptrdiff_t>(place_of(launches.end) + kLater, std::ssize(all));
  for (ptrdiff_t i = place_of(launches.first); i < end; ++i) {
    const HostCall& call = all[static_cast<size_t>(i)];
    if (call.kind != HostCallKind::launch && call.kind != HostCallKind::copy_end) continue;
    const auto found = calls.find(call.correlation);
    if (found == calls.end()) continue;
    const int64_t ns = on_device_clock(call.time_ns, sums.log().clocks);
    (call.kind == HostCallKind::launch ? found->second.begin_ns : found->second.end_ns) = ns;
  }
}

/// Adds up the time of each part. While several parts are in progress, only the first one counts.
class PartClock {
 public:
  PartClock(int64_t begin_ns, int64_t end_ns) : begin_ns_(begin_ns), end_ns_(end_ns) {}

  void add(Part part, int64_t begin_ns, int64_t end_ns) {
    begin_ns = std::max(begin_ns, begin_ns_);
    end_ns = std::min(end_ns, end_ns_);
    if (begin_ns >= end_ns) return;
    changes_.push_back({begin_ns, part, 1});
    changes_.push_back({end_ns, part, -1});
  }

  std::array<int64_t, kParts> totals_ns() {
    std::ranges::sort(changes_, {}, &Change::ns);
    std::array<int64_t, kParts> totals{};
    std::array<int, kParts> running{};
    running[static_cast<size_t>(Part::gap)] = 1;  // when nothing else is
    int64_t since_ns = begin_ns_;
    const auto pass_until = [&](int64_t ns) {
      const auto first = std::ranges::find_if(running, [](int count) { return count > 0; });
      totals[static_cast<size_t>(first - running.begin())] += ns - since_ns;
      since_ns = ns;
    };
    for (const Change& change : changes_) {
      pass_until(change.ns);
      running[static_cast<size_t>(change.part)] += change.by;
    }
    pass_until(end_ns_);
    return totals;
  }

 private:
  struct Change {
    int64_t ns = 0;
    Part part = Part::gap;
    int by = 0;
  };
  int64_t begin_ns_, end_ns_;
  std::vector<Change> changes_;
};

/// Returns the operations that begin between two times, with 64 operations before and after them: earlier
/// ones may still run at the first time, and the calls of later ones may begin before the last time.
std::span<const DeviceOperation> operations_between(const std::vector<DeviceOperation>& all, int64_t begin_ns,
                                                    int64_t end_ns) {
  constexpr ptrdiff_t kMore = 64;
  const auto first = std::ranges::lower_bound(all, begin_ns, {}, &DeviceOperation::begin_ns);
  const auto end = std::ranges::upper_bound(all, end_ns, {}, &DeviceOperation::begin_ns);
  return {first - std::min(kMore, first - all.begin()), end + std::min(kMore, all.end() - end)};
}

void add_operations(const RunSums& sums, LaunchRange launches, std::span<const DeviceOperation> operations,
                    PartClock& clock) {
  CallSpans calls;
  if (!sums.log().clocks.empty())
    for (const DeviceOperation& operation : operations)
      if (operation.kind == OperationKind::staged_transfer) calls[operation.correlation];
  if (!calls.empty()) find_calls(sums, launches, calls);
  for (const DeviceOperation& operation : operations)
    clock.add(part_of(operation.kind), operation.begin_ns, operation.end_ns);
  // A small copy may wait in its stream long after its call has returned.
  for (const auto& [correlation, call] : calls)
    if (call.begin_ns != 0) clock.add(Part::staged, call.begin_ns, call.end_ns);
}

}  // namespace

std::optional<IterationParts> parts_of_iterations(const RunSums& sums, LaunchRange launches,
                                                  uint64_t iterations) {
  const auto begin_ns = sums.begin_ns(launches.first), end_ns = sums.begin_ns(launches.end);
  if (!begin_ns || !end_ns || *begin_ns >= *end_ns || iterations == 0) return {};
  PartClock clock(*begin_ns, *end_ns);
  add_operations(sums, launches, operations_between(sums.log().operations, *begin_ns, *end_ns), clock);
  const std::array<int64_t, kParts> totals = clock.totals_ns();
  const auto mean = [&](int64_t total_ns) {
    return static_cast<double>(total_ns) / static_cast<double>(iterations);
  };
  const auto of = [&](Part part) { return mean(totals[static_cast<size_t>(part)]); };
  return IterationParts{
      iterations,         mean(*end_ns - *begin_ns), of(Part::kernel), of(Part::device_copy),
      of(Part::transfer), of(Part::staged),          of(Part::gap)};
}

}  // namespace kjoule
