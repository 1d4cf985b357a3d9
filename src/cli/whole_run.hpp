#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/printed.hpp"
#include "cli/shown_run.hpp"
#include "cli/timeline_files.hpp"
#include "recording/chosen_part.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// The report of a program that ended before one of its iterations was recorded: what its whole run did on
/// the device, by the profiler.
class WholeRun {
 public:
  WholeRun(std::vector<std::string> command, ObservedProgram observed);

  /// Writes run_report.json and summary.csv.
  void write(const std::filesystem::path& folder, KernelRules& rules) const;
  /// Prints the report, as text with at most `top` kernels.
  void print(const Printed& printed, KernelRules& rules, size_t top, const std::string& folder) const;

  /// Writes the timelines that were asked for.
  void write_timeline(const TimelineFiles& files, KernelRules& rules) const {
    files.write_run(shown(), rules);
  }

  size_t other_processes() const { return observed_.other_processes; }
  /// Returns the parts that can be measured, the one with the most GPU time first.
  const std::vector<ChosenPart>& parts() const { return parts_; }
  /// Returns the program's command line, shortened.
  std::string name() const;

 private:
  ShownRun shown() const { return shown_run(command_, observed_, summary_); }

  std::vector<std::string> command_;
  ObservedProgram observed_;
  RunSummary summary_;
  std::vector<ChosenPart> parts_;
};

}  // namespace kjoule
