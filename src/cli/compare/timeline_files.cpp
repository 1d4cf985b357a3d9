#include "cli/compare/timeline_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"

namespace kjoule {

namespace {

/// Returns the format of a timeline by the ending of the file's name. The names of pipes and devices seldom
/// have an ending; without one they get the format for programs.
const TimelineFormat& format_of(const std::string& path) {
  return timeline_format(is_stream(path) && !std::filesystem::path(path).has_extension() ? path + ".json"
                                                                                         : path);
}

}  // namespace

void TimelineFiles::declare(CLI::App& app, const std::string& what) {
  output_file(app.add_option("--timeline", paths_,
                             "file for the timeline of " + what +
                                 ", as the device ran it: FILE.json (for Perfetto) or FILE.svg; a pipe or "
                                 "device without such an ending gets JSON; may be repeated"),
              kTimelineOutput)
      ->allow_extra_args(false);
}

void TimelineFiles::refuse_wrong_names() const {
  for (const std::string& path : paths_) format_of(path);
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
  for (const std::string& path : paths_) write_named(path, format_of(path).write(timeline));
}

void TimelineFiles::write_run(const ShownRun& run, KernelRules& rules, NameStyle style) const {
  if (!asked()) return;
  write(run_timeline(run, rules), style);
  warn_of_limit(run.log.operations.size());
}

void TimelineFiles::write_ranks(const ShownRanks& ranks, KernelRules& rules, NameStyle style) const {
  if (!asked()) return;
  const size_t most_of_rank = kMostTimelineOperations / ranks.ranks.size();
  size_t operations = 0;
  std::vector<Timeline> timelines;
  for (const ShownRank& rank : ranks.ranks) {
    timelines.push_back(run_timeline(rank.run, rules, most_of_rank));
    operations = std::max(operations, rank.run.log.operations.size());
  }
  write(join_timelines(ranks.title, std::move(timelines)), style);
  warn_of_limit(operations * ranks.ranks.size());
}

void TimelineFiles::warn_of_limit(size_t operations) const {
  if (operations > kMostTimelineOperations)
    print_error("--timeline {}: the file contains only the first {} of {} operations\n", paths_.front(),
                kMostTimelineOperations, operations);
}

}  // namespace kjoule
