#include "recording/measured_kernels.hpp"

#include <algorithm>

namespace kjoule {

namespace {

bool is_kernel(const DeviceOperation& operation) {
  return operation.kind == OperationKind::kernel;
}

}  // namespace

void MeasuredKernels::add(const Recording& recording) {
  for (const Launch& launch : recording.measured()) kernels_.insert(KernelKey(launch));
}

std::vector<bool> MeasuredKernels::known_in(const RunLog& log) const {
  std::vector<bool> known;
  for (const LoggedName& name : log.operation_names) known.push_back(kernels_.contains(KernelKey(name)));
  return known;
}

double MeasuredKernels::share_of(const RunLog& log) const {
  const std::vector<bool> known = known_in(log);
  const bool has_kernels = std::ranges::any_of(log.operations, is_kernel);
  int64_t all_ns = 0, measured_ns = 0;
  for (const DeviceOperation& operation : log.operations) {
    if (has_kernels && !is_kernel(operation)) continue;
    const int64_t ns = operation.end_ns - operation.begin_ns;
    all_ns += ns;
    if (known[operation.name]) measured_ns += ns;
  }
  return all_ns > 0 ? static_cast<double>(measured_ns) / static_cast<double>(all_ns) : 0;
}

}  // namespace kjoule
