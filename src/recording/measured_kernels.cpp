#include "recording/measured_kernels.hpp"

namespace kjoule {

void MeasuredKernels::add(const Recording& recording) {
  for (const Launch& launch : recording.measured()) {
    if (!launch.detail.contains("grid")) continue;  // a copy or memset
    kernels_.insert({launch.name, launch.detail.at("grid"), launch.detail.at("block")});
  }
}

std::vector<bool> MeasuredKernels::known_in(const RunLog& log) const {
  std::vector<bool> known;
  for (const LoggedName& name : log.operation_names)
    known.push_back(kernels_.contains({name.name, name.grid, name.block}));
  return known;
}

double MeasuredKernels::share_of(const RunLog& log) const {
  const std::vector<bool> known = known_in(log);
  int64_t all_ns = 0, measured_ns = 0;
  for (const DeviceOperation& operation : log.operations) {
    if (operation.kind != OperationKind::kernel) continue;
    const int64_t ns = operation.end_ns - operation.begin_ns;
    all_ns += ns;
    if (known[operation.name]) measured_ns += ns;
  }
  return all_ns > 0 ? static_cast<double>(measured_ns) / static_cast<double>(all_ns) : 0;
}

}  // namespace kjoule
