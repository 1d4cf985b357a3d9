#include "recording/run_summary.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kjoule {
namespace {

/// The launches among the host's calls, in order, as columns.
struct LaunchColumns {
  std::vector<uint32_t> signatures;
  std::vector<uint64_t> address_hashes;
  std::vector<uint64_t> synchronisations;
  std::vector<int64_t> time_ns;
  /// Pairs of correlation id and number of the launch, sorted.
  std::vector<std::pair<uint32_t, uint32_t>> by_correlation;
};

LaunchColumns columns_of(const std::vector<HostCall>& calls) {
  LaunchColumns columns;
  for (const HostCall& call : calls) {
    const auto number = static_cast<uint32_t>(columns.signatures.size());
    if (call.kind == HostCallKind::synchronise) columns.synchronisations.push_back(number);
    if (call.kind != HostCallKind::launch && call.kind != HostCallKind::graph) continue;
    columns.signatures.push_back(call.name);
    columns.address_hashes.push_back(call.value);
    columns.time_ns.push_back(call.time_ns);
    columns.by_correlation.emplace_back(call.correlation, number);
  }
  std::ranges::sort(columns.by_correlation);
  return columns;
}

/// Sums up the times of operations, which are added in the order in which they begin.
class TimesSum {
 public:
  void add(const DeviceOperation& operation) {
    if (times_.operations++ == 0) times_.begin_ns = end_ns_ = operation.begin_ns;
    times_.work_ns += operation.end_ns - operation.begin_ns;
    times_.busy_ns += std::max<int64_t>(0, operation.end_ns - std::max(end_ns_, operation.begin_ns));
    times_.end_ns = end_ns_ = std::max(end_ns_, operation.end_ns);
  }
  const OperationTimes& times() const { return times_; }

 private:
  OperationTimes times_;
  int64_t end_ns_ = 0;  ///< time at which the last operation so far ends
};

std::vector<RunKernel> kernels_of(const RunLog& log) {
  std::vector<RunKernel> kernels(log.operation_names.size());
  for (const DeviceOperation& operation : log.operations) {
    RunKernel& kernel = kernels[operation.name];
    const int64_t ns = operation.end_ns - operation.begin_ns;
    kernel.name = operation.name;
    kernel.kind = operation.kind;
    kernel.least_ns = kernel.count == 0 ? ns : std::min(kernel.least_ns, ns);
    kernel.most_ns = std::max(kernel.most_ns, ns);
    kernel.total_ns += ns;
    kernel.bytes += operation.bytes;
    ++kernel.count;
  }
  std::erase_if(kernels, [](const RunKernel& kernel) { return kernel.count == 0; });
  std::ranges::stable_sort(kernels, std::ranges::greater{}, &RunKernel::total_ns);
  return kernels;
}

constexpr uint32_t kNoLaunch = std::numeric_limits<uint32_t>::max();

uint32_t launch_of(const DeviceOperation& operation, const LaunchColumns& columns) {
  const auto at =
      std::ranges::lower_bound(columns.by_correlation, std::pair(operation.correlation, uint32_t{0}));
  return at != columns.by_correlation.end() && at->first == operation.correlation ? at->second : kNoLaunch;
}

/// Returns the times of each part, and counts the operations without a launch in `summary`.
std::vector<OperationTimes> times_of_parts(const RunLog& log, const LaunchColumns& columns,
                                           RunSummary& summary) {
  const std::vector<RunPart>& parts = summary.structure.parts;
  std::vector<TimesSum> sums(parts.size());
  for (const DeviceOperation& operation : log.operations) {
    const uint32_t launch = launch_of(operation, columns);
    if (launch == kNoLaunch) {
      ++summary.unmatched_operations;
      continue;
    }
    const auto part = std::ranges::upper_bound(parts, uint64_t{launch}, {}, &RunPart::first) - 1;
    sums[static_cast<size_t>(part - parts.begin())].add(operation);
  }
  std::vector<OperationTimes> times;
  for (const TimesSum& sum : sums) times.push_back(sum.times());
  return times;
}

int64_t host_ns_of(const RunPart& part, const std::vector<int64_t>& time_ns) {
  const uint64_t next = std::min<uint64_t>(part.first + part.launches, time_ns.size() - 1);
  return time_ns[next] - time_ns[part.first];
}

void add(const OperationTimes& times, OperationTimes& sum) {
  if (times.operations == 0) return;
  sum.begin_ns = sum.operations == 0 ? times.begin_ns : std::min(sum.begin_ns, times.begin_ns);
  sum.end_ns = std::max(sum.end_ns, times.end_ns);
  sum.operations += times.operations;
  sum.busy_ns += times.busy_ns;
  sum.work_ns += times.work_ns;
}

std::vector<KindSummary> kinds_of(const RunStructure& structure, const std::vector<OperationTimes>& times,
                                  const std::vector<int64_t>& time_ns) {
  std::vector<KindSummary> kinds(structure.kinds);
  for (size_t i = 0; i < structure.parts.size(); ++i) {
    const RunPart& part = structure.parts[i];
    KindSummary& kind = kinds[part.kind];
    if (kind.runs++ == 0) {
      kind.kind = part.kind;
      kind.first = part.first;
      kind.period = part.period;
    }
    kind.iterations += part.iterations;
    kind.launches += part.launches;
    kind.even &= part.even;
    kind.host_ns += host_ns_of(part, time_ns);
    add(times[i], kind.times);
  }
  std::ranges::stable_sort(kinds, std::ranges::greater{},
                           [](const KindSummary& kind) { return kind.times.busy_ns; });
  return kinds;
}

}  // namespace

RunSummary summarize(const RunLog& log) {
  const LaunchColumns columns = columns_of(log.calls);
  RunSummary summary;
  summary.launches = columns.signatures.size();
  summary.synchronisations = columns.synchronisations.size();
  TimesSum all;
  for (const DeviceOperation& operation : log.operations) all.add(operation);
  summary.times = all.times();
  summary.kernels = kernels_of(log);
  summary.structure = find_structure({columns.signatures, columns.address_hashes, columns.synchronisations});
  summary.part_times = times_of_parts(log, columns, summary);
  summary.kinds = kinds_of(summary.structure, summary.part_times, columns.time_ns);
  return summary;
}

}  // namespace kjoule
