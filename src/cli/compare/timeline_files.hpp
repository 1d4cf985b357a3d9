#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "device/device.hpp"
#include "report/ranked_run.hpp"
#include "report/run_timeline.hpp"
#include "report/timeline.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The option --timeline: files to which the timeline of an iteration or of a whole run is written.
class TimelineFiles {
 public:
  /// `what` is the work that is shown, for the help.
  void declare(CLI::App& app, const std::string& what = "one iteration");
  bool asked() const { return !paths_.empty(); }
  /// Throws Error for a file whose name ends with no known format. Call it before measuring.
  void refuse_wrong_names() const;
  /// Throws Error when a file was requested but the device logs no launches.
  void refuse_without_timeline(const DeviceInfo& device) const;
  /// Throws the same Error if the options alone show that a model runs on the CPU, before it is opened.
  void refuse_model_on_cpu(const SubjectOptions& options) const;
  void write(Timeline timeline, NameStyle style) const;
  /// Writes a whole run, if files were requested. Prints a line on stderr if the run has more operations than
  /// the files can contain.
  void write_run(const ShownRun& run, KernelRules& rules, NameStyle style) const;
  /// Writes the operations of all ranks, without the parts of their runs, if files were requested.
  void write_ranks(const ShownRanks& ranks, KernelRules& rules, NameStyle style) const;

 private:
  void warn_of_limit(size_t operations) const;

  std::vector<std::string> paths_;
};

}  // namespace kjoule
