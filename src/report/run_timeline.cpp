#include "report/run_timeline.hpp"

#include <algorithm>
#include <vector>

#include "report/run_names.hpp"

namespace kjoule {
namespace {

ActivityKind activity_kind(OperationKind kind) {
  switch (kind) {
    case OperationKind::kernel:
      return ActivityKind::kernel;
    case OperationKind::transfer:
    case OperationKind::staged_transfer:
    case OperationKind::copy:
      return ActivityKind::memcpy;
    case OperationKind::set:
      break;
  }
  return ActivityKind::memset;
}

/// Returns a bar for each kernel, by the number of the kernel's name, with the fields that all its bars have
/// in common.
std::vector<TimelineBar> bars_of_kernels(const ShownRun& run, KernelRules& rules) {
  std::vector<TimelineBar> bars(run.log.operation_names.size());
  for (size_t i = 0; i < run.summary.kernels.size(); ++i) {
    const RunKernel& kernel = run.summary.kernels[i];
    TimelineBar& bar = bars[kernel.name];
    bar.kernel = i;
    bar.tier = tier_of(name_of(run, kernel).name, kernel.kind, rules);
    bar.activity.kind = activity_kind(kernel.kind);
    bar.activity.name = name_of(run, kernel).name;
  }
  return bars;
}

std::vector<TimelinePart> parts_of(const RunSummary& summary) {
  std::vector<TimelinePart> parts;
  for (size_t i = 0; i < summary.structure.parts.size(); ++i) {
    const RunPart& part = summary.structure.parts[i];
    const OperationTimes& times = summary.part_times[i];
    if (times.operations == 0) continue;
    parts.push_back({part_name(part.period, part.iterations, part.launches, part.even), times.begin_ns,
                     times.end_ns, part.kind});
  }
  return parts;
}

}  // namespace

Timeline run_timeline(const ShownRun& run, KernelRules& rules, size_t most_operations) {
  const std::vector<TimelineBar> kernels = bars_of_kernels(run, rules);
  Timeline timeline{run.title, {}, parts_of(run.summary)};
  const size_t shown = std::min(run.log.operations.size(), most_operations);
  timeline.bars.reserve(shown);
  for (size_t i = 0; i < shown; ++i) {
    const DeviceOperation& operation = run.log.operations[i];
    TimelineBar& bar = timeline.bars.emplace_back(kernels[operation.name]);
    bar.device = operation.device;
    bar.activity.stream = operation.stream;
    bar.activity.begin_ns = operation.begin_ns;
    bar.activity.end_ns = operation.end_ns;
    bar.activity.bytes = operation.bytes;
    bar.activity.correlation = operation.correlation;
  }
  return timeline;
}

}  // namespace kjoule
