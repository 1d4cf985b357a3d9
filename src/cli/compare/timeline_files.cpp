#include "cli/compare/timeline_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/terminal.hpp"

namespace kjoule {

void TimelineFiles::declare(CLI::App& app, const std::string& what) {
  app.add_option("--timeline", paths_,
                 "file for the timeline of " + what +
                     ", as the device ran it: FILE.json (for Perfetto) or FILE.svg; may be repeated")
      ->allow_extra_args(false);
}

void TimelineFiles::refuse_wrong_names() const {
  for (const std::string& path : paths_) {
    timeline_format(path);
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      throw Error("--timeline " + path + ": the folder of this file does not exist",
                  "create it first, or choose another folder");
  }
}

void TimelineFiles::refuse_inputs(const std::vector<std::string>& inputs) const {
  std::error_code not_there;
  for (const std::string& path : paths_)
    for (const std::string& input : inputs)
      if (std::filesystem::equivalent(path, input, not_there))
        throw UsageError("--timeline " + path + ": this file is an input of the command",
                         "choose another file");
}

void TimelineFiles::refuse_without_timeline(const DeviceInfo& device) const {
  if (asked() && !device.keeps_timeline)
    throw Error("--timeline " + paths_.front() + ": this command cannot write a timeline on this device",
                "omit --timeline, or use kjoule compare on a GPU");
}

void TimelineFiles::refuse_model_on_cpu(const SubjectOptions& options) const {
  if (!asked() || options.is_program() || options.device.starts_with("simulated")) return;
  if (device_for_runner(options) == "cpu")
    throw Error("--timeline " + paths_.front() + ": this command cannot write a timeline on this device",
                "omit --timeline, or use kjoule compare, which times the operators of a model on a CPU");
}

void TimelineFiles::write(Timeline timeline, NameStyle style) const {
  name_bars(timeline, style);
  for (const std::string& path : paths_) write_atomic(path, timeline_format(path).write(timeline));
}

void TimelineFiles::write_run(const ShownRun& run, KernelRules& rules, NameStyle style) const {
  if (!asked()) return;
  write(run_timeline(run, rules), style);
  if (run.log.operations.size() > kMostTimelineOperations)
    print_error("--timeline {}: the file contains only the first {} of {} operations\n", paths_.front(),
                kMostTimelineOperations, run.log.operations.size());
}

}  // namespace kjoule
