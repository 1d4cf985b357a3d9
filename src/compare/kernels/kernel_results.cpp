#include "compare/kernels/kernel_results.hpp"

#include <utility>

#include "measure/isolated/isolated_kernel.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

std::vector<KernelResult> kernel_results(const KernelTable& table) {
  std::vector<KernelResult> results;
  for (const Kernel& kernel : table.kernels) {
    KernelResult result;
    result.name = kernel.name;
    result.tier = kernel.tier;
    result.signature = kernel.signature;
    result.bytes_moved = kernel.bytes_moved;
    result.count = kernel.places.size();
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows,
                                           KernelRules& rules) {
  std::vector<KernelResult> results = kernel_results(table);
  for (const auto& [one, start_timestamp, end_timestamp] : rows.all<IsolatedBlock>()) {
    KernelResult& result = results.at(one.kernel);
    result.error = one.error;
    if (!one.error.empty()) continue;
    result.isolated_s = one.single_s;
    result.isolated_runs = one.runs;
    result.start_timestamp = start_timestamp;
    result.end_timestamp = end_timestamp;
  }
  classify(results, rules);
  return results;
}

void classify(std::vector<KernelResult>& kernels, KernelRules& rules) {
  for (KernelResult& kernel : kernels) {
    const KernelClass* is = rules.find(kernel.name);
    if (is == nullptr) continue;
    kernel.tier = is->tier;
    kernel.family = is->family;
    kernel.dtype = is->dtype;
    kernel.category = is->category;
  }
}

}  // namespace kjoule
