#include "recording/run_sums.hpp"

#include <algorithm>

namespace kjoule {

RunSums::RunSums(const RunLog& log) : log_(log) {
  add_calls(log.calls);
  for (auto* sums : {&busy_, &kernels_, &work_, &seen_}) sums->assign(numbers_.size(), 0);
  add_operations(log.operations);
  for (auto* sums : {&busy_, &kernels_, &work_, &seen_})
    for (size_t i = 1; i < sums->size(); ++i) (*sums)[i] += (*sums)[i - 1];
}

uint64_t RunSums::launch_at(uint64_t number) const {
  return static_cast<uint64_t>(std::ranges::lower_bound(numbers_, number) - numbers_.begin());
}

bool RunSums::is_complete(LaunchRange range) const {
  return seen_[range.end] - seen_[range.first] == static_cast<int64_t>(operations(range));
}

double RunSums::kernel_share(LaunchRange range) const {
  const auto kernels = static_cast<double>(kernels_[range.end] - kernels_[range.first]);
  return kernels > 0 ? kernels / static_cast<double>(work_[range.end] - work_[range.first]) : 0;
}

std::optional<int64_t> RunSums::begin_ns(uint64_t launch) const {
  return launch < begins_ns_.size() ? begins_ns_[launch] : std::nullopt;
}

std::optional<uint32_t> RunSums::launch_of(const DeviceOperation& operation) const {
  const auto at = std::ranges::lower_bound(by_correlation_, std::pair(operation.correlation, uint32_t{0}));
  if (at == by_correlation_.end() || at->first != operation.correlation) return {};
  return at->second;
}

void RunSums::add_calls(const std::vector<HostCall>& calls) {
  for (const HostCall& call : calls) {
    if (call.kind == HostCallKind::synchronise) ++waits_.back();
    if (call.kind != HostCallKind::launch && call.kind != HostCallKind::graph) continue;
    by_correlation_.emplace_back(call.correlation, static_cast<uint32_t>(launches_.size()));
    launches_.push_back(&call);
    numbers_.push_back(numbers_.back() + call.operations);
    waits_.push_back(waits_.back());
  }
  std::ranges::sort(by_correlation_);
}

void RunSums::add_operations(const std::vector<DeviceOperation>& operations) {
  begins_ns_.resize(launches_.size());
  int64_t end_ns = operations.empty() ? 0 : operations.front().begin_ns;
  for (const DeviceOperation& operation : operations) {
    const int64_t ns = operation.end_ns - operation.begin_ns;
    const int64_t busy = std::max<int64_t>(0, operation.end_ns - std::max(end_ns, operation.begin_ns));
    end_ns = std::max(end_ns, operation.end_ns);
    const auto launch = launch_of(operation);
    if (!launch) continue;
    if (!begins_ns_[*launch]) begins_ns_[*launch] = operation.begin_ns;
    busy_[*launch + 1] += busy;
    work_[*launch + 1] += ns;
    if (operation.kind == OperationKind::kernel) kernels_[*launch + 1] += ns;
    ++seen_[*launch + 1];
  }
}

}  // namespace kjoule
