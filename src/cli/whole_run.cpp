#include "cli/whole_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <utility>

#include "base/files.hpp"
#include "report/phase_reports.hpp"
#include "report/shortened.hpp"

namespace kjoule {

namespace {

constexpr size_t kNameWidth = 60;

}  // namespace

WholeRun::WholeRun(std::vector<std::string> command, ObservedProgram observed)
    : command_(std::move(command)), observed_(std::move(observed)), summary_(summarize(observed_.log)) {}

std::vector<ProfiledKernel> WholeRun::profiled_kernels() const {
  std::map<KernelKey, ProfiledKernel> kernels;  // names of the log also differ in shared memory
  for (const RunKernel& one : summary_.kernels) {
    const KernelKey key(observed_.log.operation_names.at(one.name));
    ProfiledKernel& kernel = kernels[key];
    kernel.kernel = key;
    kernel.launches += static_cast<double>(one.count);
    kernel.profiled_s += 1e-9 * static_cast<double>(one.total_ns);
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
