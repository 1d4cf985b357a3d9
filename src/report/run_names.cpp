#include "report/run_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/counted.hpp"

namespace kjoule {

const LoggedName& name_of(const ShownRun& run, const RunKernel& kernel) {
  return run.log.operation_names.at(kernel.name);
}

KernelNames names_of(const ShownRun& run, NameStyle style, size_t length) {
  return KernelNames::of_all(
      run.summary.kernels, [&](const RunKernel& kernel) { return name_of(run, kernel).name; }, style, length);
}

Tier tier_of(const std::string& name, OperationKind kind, KernelRules& rules) {
  return kind == OperationKind::kernel ? rules.classify(name).tier : Tier::cuda_runtime;
}

std::string sizes_of(const LoggedName& name) {
  if (name.grid.empty()) return {};
  return fmt::format(" <<<{}, {}, {}>>>", fmt::join(name.grid, "x"), fmt::join(name.block, "x"),
                     name.shared_bytes);
}

std::string part_name(uint64_t period, uint64_t iterations, uint64_t launches, bool even) {
  if (period == 0) return fmt::format("single pass of {}", counted(launches, "launch"));
  return fmt::format("loop: {} iterations of {}{}", iterations, even ? "" : "about ",
                     counted(period, "launch"));
}

}  // namespace kjoule
