#include "recording/joint_kernels.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace kjoule {

namespace {

using KernelIdentity =
    std::tuple<std::string, std::vector<uint32_t>, std::vector<uint32_t>, uint32_t, OperationKind>;

KernelIdentity identity_of_kernel(const LoggedName& name, OperationKind kind) {
  return {name.name, name.grid, name.block, name.shared_bytes, kind};
}

void add_to(RunKernel& sum, const RunKernel& kernel) {
  sum.least_ns = sum.count == 0 ? kernel.least_ns : std::min(sum.least_ns, kernel.least_ns);
  sum.most_ns = std::max(sum.most_ns, kernel.most_ns);
  sum.count += kernel.count;
  sum.total_ns += kernel.total_ns;
  sum.bytes += kernel.bytes;
}

/// Sorts the kernels by their totals over all processes, and those of each process in the same order.
void sort_by_total(JointKernels& joint) {
  std::vector<size_t> order(joint.all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) { return joint.all[i].total_ns; });
  const auto sorted = [&](const std::vector<RunKernel>& kernels) {
    std::vector<RunKernel> in_order;
    for (const size_t i : order) in_order.push_back(kernels[i]);
    return in_order;
  };
  joint.all = sorted(joint.all);
  for (std::vector<RunKernel>& kernels : joint.of_process) kernels = sorted(kernels);
}

}  // namespace

JointKernels join_kernels(const std::vector<const RunLog*>& logs,
                          const std::vector<const RunSummary*>& summaries) {
  JointKernels joint;
  std::map<KernelIdentity, uint32_t> numbers;
  for (size_t process = 0; process < logs.size(); ++process)
    for (const RunKernel& kernel : summaries[process]->kernels) {
      const LoggedName& name = logs[process]->operation_names.at(kernel.name);
      const auto number = static_cast<uint32_t>(numbers.size());
      if (numbers.try_emplace(identity_of_kernel(name, kernel.kind), number).second) {
        joint.names.push_back(name);
        joint.all.push_back({.name = number, .kind = kernel.kind});
      }
    }
  joint.of_process.assign(logs.size(), joint.all);
  for (size_t process = 0; process < logs.size(); ++process)
    for (const RunKernel& kernel : summaries[process]->kernels) {
      const LoggedName& name = logs[process]->operation_names.at(kernel.name);
      const uint32_t number = numbers.at(identity_of_kernel(name, kernel.kind));
      add_to(joint.of_process[process][number], kernel);
      add_to(joint.all[number], kernel);
    }
  sort_by_total(joint);
  return joint;
}

}  // namespace kjoule
