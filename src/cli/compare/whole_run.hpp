#pragma once
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/shown_run.hpp"
#include "cli/compare/timeline_files.hpp"
#include "cli/options/printed.hpp"
#include "compare/run/run_comparison.hpp"
#include "recording/chosen_phases.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// The report of a program that ended before one of its iterations was recorded: the operations of its whole
/// run, by the profiler, and the phases that were measured by replay.
class WholeRun {
 public:
  WholeRun(std::vector<std::string> command, ObservedProgram observed);

  /// Chooses the phases to measure.
  PhaseChoice phases(const PhaseBudget& budget) const {
    return choose_phases(observed_.log, summary_, budget);
  }
  /// Adds the results of the phases to the report.
  void add(RunComparison comparison) { comparison_ = std::move(comparison); }

  /// Writes run_report.json and summary.csv.
  void write(const std::filesystem::path& folder, KernelRules& rules) const;
  /// Prints the report, as text with at most `top` kernels.
  void print(const Printed& printed, KernelRules& rules, size_t top, NameStyle style,
             const std::string& folder) const;

  /// Writes the requested timelines.
  void write_timeline(const TimelineFiles& files, KernelRules& rules, NameStyle style) const {
    files.write_run(shown(), rules, style);
  }

  const RunLog& log() const { return observed_.log; }
  /// Returns the kernels, copies and memsets of the run, with their times by the profiler.
  std::vector<ProfiledKernel> profiled_kernels() const;
  bool has_operations() const { return summary_.times.busy_ns > 0; }
  bool has_kernels() const {
    return std::ranges::any_of(summary_.kernels, [](const RunKernel& kernel) {
      return kernel.kind == OperationKind::kernel && kernel.total_ns > 0;
    });
  }
  /// Returns the time from the first to the last operation on the device, s.
  double span_s() const { return static_cast<double>(summary_.times.span_ns()) * 1e-9; }
  size_t other_processes() const { return observed_.other_processes; }
  /// Returns the program's command line, shortened.
  std::string name() const;

 private:
  ShownRun shown() const { return shown_run(command_, observed_, summary_); }
  nlohmann::ordered_json json(KernelRules& rules) const;

  std::vector<std::string> command_;
  ObservedProgram observed_;
  RunSummary summary_;
  std::optional<RunComparison> comparison_;  ///< nothing if no phase was measured
};

}  // namespace kjoule
