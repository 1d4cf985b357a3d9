#include "cli/compare/whole_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <utility>

#include "base/files/files.hpp"
#include "report/phase_reports.hpp"
#include "report/shortened.hpp"

namespace kjoule {

namespace {

constexpr size_t kNameWidth = 60;

}  // namespace

WholeRun::WholeRun(std::vector<std::string> command, ObservedProgram observed)
    : command_(std::move(command)), observed_(std::move(observed)), summary_(summarize(observed_.log)) {}

std::vector<ProfiledKernel> WholeRun::profiled_kernels() const {
  std::map<std::pair<uint32_t, uint64_t>, ProfiledKernel> by_number;  // key: number of the name, and bytes
  for (const DeviceOperation& operation : observed_.log.operations) {
    const uint64_t bytes = operation.kind == OperationKind::kernel ? 0 : operation.bytes;
    ProfiledKernel& kernel = by_number[{operation.name, bytes}];
    ++kernel.launches;
    kernel.profiled_s += 1e-9 * static_cast<double>(operation.end_ns - operation.begin_ns);
  }
  std::map<KernelKey, ProfiledKernel> kernels;  // launches that differ only in shared memory have several
                                                // names in the log, but the same key
  for (const auto& [number, one] : by_number) {
    KernelKey key(observed_.log.operation_names.at(number.first));
    key.bytes = number.second;
    ProfiledKernel& kernel = kernels[key];
    kernel.kernel = key;
    kernel.launches += one.launches;
    kernel.profiled_s += one.profiled_s;
  }
  std::vector<ProfiledKernel> list;
  for (auto& [key, kernel] : kernels) list.push_back(std::move(kernel));
  return list;
}

nlohmann::ordered_json WholeRun::json(KernelRules& rules) const {
  nlohmann::ordered_json json = run_json(shown(), rules);
  if (comparison_) json["replayed"] = run_comparison_json(*comparison_);
  return json;
}

void WholeRun::write(const std::filesystem::path& folder, KernelRules& rules) const {
  write_json(folder / "run_report.json", json(rules));
  write_atomic(folder / "summary.csv", run_csv(shown(), rules));
}

void WholeRun::print(const Printed& printed, KernelRules& rules, size_t top, NameStyle style,
                     const std::string& folder) const {
  printed.print(
      [&] { return json(rules); }, [&] { return run_csv(shown(), rules); },
      [&] { return fmt::format("{}results in {}\n", run_text(shown(), rules, top, style), folder); });
  std::fflush(stdout);
}

std::string WholeRun::name() const {
  return shortened(shown().title, kNameWidth);
}

}  // namespace kjoule
