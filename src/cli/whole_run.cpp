#include "cli/whole_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/files.hpp"
#include "report/shortened.hpp"

namespace kjoule {

namespace {

constexpr size_t kNameWidth = 60;

}  // namespace

WholeRun::WholeRun(std::vector<std::string> command, ObservedProgram observed)
    : command_(std::move(command)),
      observed_(std::move(observed)),
      summary_(summarize(observed_.log)),
      parts_(choose_parts(observed_.log, summary_)) {}

void WholeRun::write(const std::filesystem::path& folder, KernelRules& rules) const {
  write_json(folder / "run_report.json", run_json(shown(), rules));
  write_atomic(folder / "summary.csv", run_csv(shown(), rules));
}

void WholeRun::print(const Printed& printed, KernelRules& rules, size_t top,
                     const std::string& folder) const {
  printed.print([&] { return run_json(shown(), rules); }, [&] { return run_csv(shown(), rules); },
                [&] { return fmt::format("{}results in {}\n", run_text(shown(), rules, top), folder); });
  std::fflush(stdout);
}

std::string WholeRun::name() const {
  return shortened(shown().title, kNameWidth);
}

}  // namespace kjoule
