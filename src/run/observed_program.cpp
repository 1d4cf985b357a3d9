#include "run/observed_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/process/library.hpp"
#include "base/process/program.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/process/terminal.hpp"
#include "device/injected_program.hpp"

namespace kjoule {

namespace {

/// Returns the logs of all processes that used CUDA.
std::vector<RunLog> read_logs(const std::filesystem::path& folder) {
  std::vector<RunLog> logs;
  for (const auto& process : std::filesystem::directory_iterator(folder))
    logs.push_back(read_run_log(process.path()));
  return logs;
}

/// Returns the log with the most device operations.
auto longest(auto& logs) {
  return std::ranges::max_element(logs, {}, [](const RunLog& log) { return log.operations.size(); });
}

/// Keeps the launches and operations of `gpu`; all of them if it is not given.
void keep_gpu(std::optional<int> gpu, RunLog& log) {
  if (gpu) keep_device(*gpu, log);
}

/// Returns the processes with operations on the device that `options` selects, in order of rank.
ObservedProcesses read_processes(const std::filesystem::path& folder, const InjectionOptions& options,
                                 const RunEnergyMeter& meter) {
  ObservedProcesses observed;
  std::vector<RunLog> logs = read_logs(folder);
  for (RunLog& log : logs) keep_gpu(options.gpu, log);
  std::ranges::sort(logs, {}, [](const RunLog& log) {
    return std::pair(log.process.rank.value_or(std::numeric_limits<int>::max()), log.process.process);
  });
  const auto idle = std::stable_partition(logs.begin(), logs.end(),
                                          [](const RunLog& log) { return !log.operations.empty(); });
  const auto busy = static_cast<size_t>(idle - logs.begin());
  const size_t shown = std::max<size_t>(busy, std::min<size_t>(logs.size(), 1));
  observed.others = logs.size() - shown;
  for (size_t i = 0; i < shown; ++i) {
    RunEnergy energy = meter.energy_of(logs[i]);
    observed.processes.push_back({std::move(logs[i]), std::move(energy)});
  }
  return observed;
}

/// Prints a warning if this machine has no CUDA driver: a run of the program is then hardly worth waiting
/// for.
void warn_without_driver() {
  if (!Library::open({"libcuda.so.1"}))
    print_warning(
        "this machine has no CUDA driver (libcuda.so.1), so the program will probably end "
        "without using CUDA; kjoule doctor reports what is missing");
}

}  // namespace

std::optional<IterationSpread> read_iteration_spread(const std::filesystem::path& folder,
                                                     std::optional<int> gpu, const Recording& recording) {
  constexpr uintmax_t kMostBytes = uintmax_t{512} << 20;
  const nlohmann::json loop = recording.program.value("loop", nlohmann::json());
  if (loop.is_null()) return {};
  uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.is_regular_file()) bytes += file.file_size();
  if (bytes > kMostBytes) return {};
  const auto own = folder / std::to_string(recording.program.value("process", 0));
  std::optional<RunLog> log = std::filesystem::exists(own) ? read_run_log(own) : read_log_so_far(folder, gpu);
  if (!log) return {};
  keep_gpu(recording.program.contains("gpu") ? std::optional(recording.program.at("gpu").get<int>()) : gpu,
           *log);
  return spread_of_last_loop(*log, loop.at("first"), loop.at("length"));
}

std::optional<RunLog> read_log_so_far(const std::filesystem::path& folder, std::optional<int> gpu) {
  std::vector<RunLog> logs;
  for (const auto& process : std::filesystem::directory_iterator(folder)) {
    try {
      logs.push_back(read_run_log(process.path()));
    } catch (const Error&) {  // a process has just begun to write its log
    }
  }
  if (logs.empty()) return {};
  RunLog log = std::move(*longest(logs));
  keep_gpu(gpu, log);
  if (log.operations.empty()) return {};
  return log;
}

std::optional<ObservedProgram> read_observed_program(const std::filesystem::path& folder,
                                                     const InjectionOptions& options,
                                                     const RunEnergyMeter& meter) {
  std::vector<RunLog> logs = read_logs(folder);
  if (logs.empty()) return {};
  ObservedProgram observed;
  observed.other_processes = logs.size() - 1;
  observed.log = std::move(*longest(logs));
  keep_gpu(options.gpu, observed.log);
  observed.energy = meter.energy_of(observed.log);
  return observed;
}

ObservedProcesses observe_program(const std::vector<std::string>& command, InjectionOptions options,
                                  ProgramStreams streams) {
  const TemporaryFolder folder;
  options.run_log = folder.path();
  warn_without_driver();
  Environment environment = options.to_environment();
  environment.merge(environment_with_library(find_injected_library()));
  environment.merge(environment_without_multicast());
  RunEnergyMeter meter;
  Program program(command, environment, streams);
  const int exit_code = program.run_to_end();
  meter.stop();
  ObservedProcesses observed = read_processes(folder.path(), options, meter);
  if (observed.processes.empty())
    throw Error(fmt::format("{} ended (exit code {}) without using CUDA", program.name(), exit_code),
                "check that the program uses the GPU without kjoule, and that it passes its environment "
                "variables on to the programs that it starts");
  observed.exit_code = exit_code;
  return observed;
}

}  // namespace kjoule
