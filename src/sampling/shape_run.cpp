#include "sampling/shape_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files/appended_file.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/process/progress.hpp"
#include "base/text/counted.hpp"
#include "device/sample_row.hpp"
#include "sampling/sample_requests.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;
using Run = SamplingConfiguration::Run;

std::string times_text(const SampleAnswer& answer) {
  std::string text;
  for (const char* name : {"forward", "backward", "step"}) {
    const auto found = answer.directions.find(name);
    if (found == answer.directions.end()) continue;
    const MedianOfPasses median = median_of_passes(found->second.passes_us);
    text += fmt::format("{}{} {:.3f} us ({:.3f} to {:.3f})", text.empty() ? "" : ", ", name, median.value,
                        median.low, median.high);
  }
  return text;
}

/// Returns what is about to run. On a CPU it may take minutes: the shipped shapes are of GPUs.
std::string announcement(const std::string& name, const SampleRequest& request) {
  const auto passes = [](int64_t number) { return agreeing(static_cast<size_t>(number), "pass", "passes"); };
  return fmt::format("running {}: {} {} of the warm-up shape [{}], then up to {} timed {}", name,
                     request.warmup_passes, passes(request.warmup_passes),
                     fmt::join(request.warmup_shape, ", "), request.active, passes(request.active));
}

fs::path trace_file(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  const fs::path folder = options.folder / "temp_profilings";
  make_subfolder(folder);
  return fs::absolute(folder / fmt::format("{}_{}_{}.json", configuration.kernel_name, options.precision,
                                           fmt::join(configuration.shape, "_")));
}

/// Throws Error if there is a file in the place of the log that is not a log of kjoule.
void refuse_other_log(const fs::path& path) {
  constexpr size_t kBytesOfTime = 32;
  static const std::regex begin(R"(^\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8})");
  const std::string text = read_beginning(path, kBytesOfTime);
  if (!text.empty() && !std::regex_search(text, begin))
    throw Error(path.string() + ": is not a log of kjoule sample, so no line is added to it",
                "choose another folder with -o, or move the file away");
}

void add_to_log(const fs::path& path, const std::string& line) {
  make_folder(path.parent_path());
  const SteadyClock clock;
  AppendedFile(path, AppendedFile::Contents::keep)
      .append(fmt::format("[{}]{}\n", clock.local_time(clock.now_ns()), line));
}

}  // namespace

ShapeOutcome sample_shape(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  const fs::path log = options.folder / "test_log.txt";
  refuse_other_log(log);
  SampleRequest request = make_sample_request(configuration, options.precision, configuration.shape);
  if (configuration.run == Run::get_profiler) request.trace = trace_file(configuration, options);
  if (configuration.run == Run::run_function) request.active = 1;
  ShapeOutcome outcome;
  outcome.name = fmt::format("{}_{} [{}]", configuration.kernel_name, options.precision,
                             fmt::join(configuration.shape, ", "));
  const auto progress = make_progress();
  progress->stage(announcement(outcome.name, request));
  RestartedRunner runner(options.start_runner);
  outcome.device = runner.ready().sampling_device().name;
  const SampleAnswer answer = answer_request(request, runner).answer;
  progress->finish();
  if (answer.status != SampleStatus::measured) {
    add_to_log(log, fmt::format("{} | cannot be timed: {}: {}", outcome.name, status_name(answer.status),
                                answer.why));
    throw Error(
        fmt::format("{} on {}: {}: {}", outcome.name, outcome.device, status_name(answer.status), answer.why),
        "choose another --device or --precision, or correct the operator or shapes in the "
        "configuration");
  }
  outcome.times = configuration.run == Run::run_function ? "ran" : times_text(answer);
  outcome.kernels = answer.kernels;
  outcome.trace = request.trace;
  add_to_log(log, fmt::format("{} | {}", outcome.name, outcome.times));
  return outcome;
}

}  // namespace kjoule
