#include "recording/iteration_parts.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace kjoule {

namespace {

/// What a moment may be spent on, in the order in which it counts.
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

/// Returns a host time on the device's clock, by the sample of both that is nearest; nothing without samples.
std::optional<int64_t> on_device_clock(int64_t host_ns, const std::vector<LoggedClocks>& clocks) {
  const auto nearest = std::ranges::min_element(
      clocks, {}, [&](const LoggedClocks& sample) { return std::abs(sample.host_ns - host_ns); });
  if (nearest == clocks.end()) return {};
  return host_ns + nearest->device_ns - nearest->host_ns;
}

/// The time of a call, on the device's clock.
struct CallSpan {
  int64_t begin_ns = 0, end_ns = 0;
};

/// Returns the calls of copies, by correlation, from the first of these launches to the one after the last.
std::unordered_map<uint32_t, CallSpan> copy_calls(const RunSums& sums, LaunchRange launches) {
  constexpr ptrdiff_t kLater = 256;  // calls: other threads may launch before a copy's call ends
  std::unordered_map<uint32_t, CallSpan> calls;
  const std::vector<HostCall>& all = sums.log().calls;
  const auto begin = all.begin() + (sums.launches()[launches.first] - all.data());
  const auto last = all.begin() + (sums.launches()[launches.end] - all.data());
  for (auto call = begin; call < all.end() && call - last <= kLater; ++call) {
    const auto ns = on_device_clock(call->time_ns, sums.log().clocks);
    if (!ns) break;
    if (call->kind == HostCallKind::launch)
      calls[call->correlation] = {*ns, *ns};
    else if (const auto found = calls.find(call->correlation);
             call->kind == HostCallKind::copy_end && found != calls.end())
      found->second.end_ns = *ns;
  }
  return calls;
}

/// Adds up for how long each part was the first one of those in progress.
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

void add_operations(const RunSums& sums, LaunchRange launches, int64_t end_ns, PartClock& clock) {
  const auto calls = copy_calls(sums, launches);
  for (const DeviceOperation& operation : sums.log().operations) {
    if (operation.begin_ns > end_ns) break;  // the call of the one that begins then began before
    CallSpan span{operation.begin_ns, operation.end_ns};
    if (operation.kind == OperationKind::staged_transfer)
      if (const auto call = calls.find(operation.correlation); call != calls.end())
        span = {std::min(span.begin_ns, call->second.begin_ns), std::max(span.end_ns, call->second.end_ns)};
    clock.add(part_of(operation.kind), span.begin_ns, span.end_ns);
  }
}

}  // namespace

std::optional<IterationParts> parts_of_iterations(const RunSums& sums, LaunchRange launches,
                                                  uint64_t iterations) {
  const auto begin_ns = sums.begin_ns(launches.first), end_ns = sums.begin_ns(launches.end);
  if (!begin_ns || !end_ns || *begin_ns >= *end_ns || iterations == 0) return {};
  PartClock clock(*begin_ns, *end_ns);
  add_operations(sums, launches, *end_ns, clock);
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
