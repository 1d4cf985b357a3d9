#include "compare/tables/model_kernels.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/process/program_lines.hpp"
#include "base/process/temporary_folder.hpp"
#include "device/remote_runner.hpp"
#include "importers/import.hpp"
#include "run/started_runner.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace {

constexpr auto kRunnerPause = std::chrono::milliseconds(20);

/// Returns the options without those for measuring and for reading files: only the model and how it is run.
SubjectOptions model_alone(const SubjectOptions& options) {
  SubjectOptions alone;
  alone.model = options.model;
  alone.device = device_for_runner(options);
  alone.seq_len = options.seq_len;
  alone.batch = options.batch;
  alone.inputs = options.inputs;
  alone.seed = options.seed;
  alone.threads = options.threads;
  return alone;
}

/// Runs kjoule-torch to its end. If it fails, throws Error with the cause, which is the last line of its
/// output.
void run_to_end(const RunnerCommand& command, const std::string& model) {
  ProgramLines program(command.words, command.environment);
  std::string last;
  while (!program.how_it_ended()) {
    for (const std::string& line : program.read())
      if (!line.empty()) last = line;
    if (!program.how_it_ended()) std::this_thread::sleep_for(kRunnerPause);
  }
  if (*program.how_it_ended() == "exit code 0") return;
  const Error why = runner_end_error(*program.how_it_ended(), last);
  throw Error(fmt::format("{} was not profiled: {}", model, why.what()), why.remedy());
}

ImportedTable profiled(const SubjectOptions& options) {
  const TemporaryFolder folder;
  const std::string trace = folder / "trace.json", file = folder / "work.json";
  RunnerWork work = runner_place(options);
  work.what = model_work(options);
  write_work(file, work);
  run_to_end(torch_runner_command({"--profile", trace, "--work", file}), options.model);
  ImportChoice one_iteration;
  one_iteration.iterations = 1;
  ImportedTable table = import_file(trace, one_iteration);
  table.source = options.model;
  return table;
}

}  // namespace

ImportedTable kernels_of_model(const SubjectOptions& options) {
  const SubjectOptions alone = model_alone(options);
  need_model_file(alone);
  if (alone.device == "cuda") return profiled(alone);
  return import_recording(open_subject(alone).device->record(), alone.model);
}

}  // namespace kjoule
