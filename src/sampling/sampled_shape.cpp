#include "sampling/sampled_shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "device/sample_row.hpp"
#include "sampling/sampled_rows.hpp"

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

fs::path trace_file(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  const fs::path folder = options.folder / "temp_profilings";
  make_folder(folder);
  return fs::absolute(folder / fmt::format("{}_{}_{}.json", configuration.kernel_name, options.precision,
                                           fmt::join(configuration.shape, "_")));
}

void add_to_log(const fs::path& path, const std::string& line) {
  make_folder(path.parent_path());
  const SteadyClock clock;
  std::ofstream file(path, std::ios::app);
  file << fmt::format("[{}]{}\n", clock.local_time(clock.now_ns()), line) << std::flush;
  if (!file) throw Error(path.string() + ": cannot be written", "choose another folder with -o");
}

}  // namespace

int sample_shape(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  std::vector<SampleRequest> requests{request_for(configuration, options.precision, configuration.shape)};
  SampleRequest& request = requests.front();
  if (configuration.run == Run::get_profiler) request.trace = trace_file(configuration, options);
  if (configuration.run == Run::run_function) request.active = 1;
  std::string device;
  SampleAnswer answer;
  sample_requests(
      RestartedRunner(options.place), requests, [&](const SamplingDevice& found) { device = found.name; },
      [&](size_t, const SampleAnswer& found) { answer = found; });
  const std::string what = fmt::format("{}_{} [{}]", configuration.kernel_name, options.precision,
                                       fmt::join(configuration.shape, ", "));
  if (answer.status != SampleStatus::measured) {
    add_to_log(options.folder / "test_log.txt",
               fmt::format("{} | cannot be timed: {}: {}", what, status_name(answer.status), answer.why));
    throw Error(fmt::format("{} on {}: {}: {}", what, device, status_name(answer.status), answer.why));
  }
  const std::string times = configuration.run == Run::run_function ? "ran" : times_text(answer);
  add_to_log(options.folder / "test_log.txt", fmt::format("{} | {}", what, times));
  fmt::print("{} on {}: {}\n", what, device, times);
  if (answer.kernels) fmt::print("{} kernels a pass\n", *answer.kernels);
  if (!request.trace.empty()) fmt::print("trace in {}\n", request.trace);
  return 0;
}

}  // namespace kjoule
