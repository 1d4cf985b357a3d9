#include "cli/options/subject_arguments.hpp"

#include <algorithm>
#include <utility>

#include "cli/options/confirmation.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "device/model_input.hpp"
#include "recording/rank_limit.hpp"
#include "run/recorded_subject.hpp"

namespace kjoule {

namespace {

void refuse_beside_attach(const SubjectArguments& options) {
  if (!options.program.empty())
    throw UsageError(
        "--attach and --pid measure a program that is already running, but another program was given after "
        "--",
        "omit one of them");
  if (options.injection.gpu || options.injection.rank)
    throw UsageError("--gpu and --rank have no effect together with --attach or --pid",
                     "give them to kjoule env when the program is started");
}

void refuse_what_has_no_effect(const SubjectArguments& options) {
  if (options.attach.is_given()) refuse_beside_attach(options);
  if (options.is_program())
    refuse_given(options.for_models, "on a program",
                 "omit it, or give a model with --model instead of the program");
  if (options.injection.iteration_launches && !options.injection.nvtx_range.empty())
    throw UsageError("--range has no effect together with --iterations A..B", "omit one of them");
  if (!options.is_program() && options.device.starts_with("simulated")) {
    const char* where = "on a simulated device, which runs its own program";
    refuse_given(options.for_models, where, "omit it, or choose --device cpu");
    refuse_given(options.for_programs, where, "omit it, or give a program that uses CUDA after --");
  }
  const bool on_cuda = options.is_program() || options.device == "cuda";
  if (const CLI::Option* one = on_cuda ? nullptr : first_given(options.for_programs))
    throw UsageError(one->get_name() + " has no effect on a model that runs on the CPU",
                     "omit it, give a program that uses CUDA after --, or choose --device cuda");
  if (!options.is_program() && (options.injection.gpu || options.injection.rank))
    throw UsageError(
        "--gpu and --rank have no effect on a model, which runs in one process on the first visible GPU",
        "omit them, and choose the GPU with the environment variable CUDA_VISIBLE_DEVICES");
  if (options.is_program() && options.device != "auto" && options.device != "cuda")
    throw UsageError(
        "--device " + options.device + ": a program after -- is always measured on its GPU, with CUDA",
        "omit --device, or give a model with --model");
}

/// Refuses descriptions of inputs that kjoule-torch cannot read.
CLI::Validator input_description() {
  const auto check = [](const std::string& text) {
    try {
      parse_model_input(text);
    } catch (const Error& error) {
      throw UsageError(std::string("--input ") + error.what(), error.remedy());
    }
    return std::string();
  };
  return {check, ""};
}

}  // namespace

void SubjectArguments::declare_program(CLI::App& app) {
  const char* group = "For a program (kjoule COMMAND -- PROGRAM ARGS), or a model with --device cuda";
  const auto add = [&](CLI::Option* option) { for_programs.push_back(option->group(group)); };
  add(app.add_option("--range", injection.nvtx_range,
                     "name of the NVTX range that marks an iteration; default: kjoule searches for a "
                     "sequence of launches that repeats"));
  add(app.add_option("--iterations", iterations,
                     "for a program: the launches A..B that form the iteration, counted from 0, with B "
                     "excluded; for a trace or table: number of iterations in it"));
  add(app.add_option("--skip-iterations", injection.skip_iterations,
                     "number of iterations that are skipped before one is recorded")
          ->capture_default_str()
          ->check(whole_number(0, kMostRuns)));
  CLI::Option* loop_seconds =
      app.add_option("--loop-seconds", injection.loop_s,
                     "time in seconds for which a sequence of launches must repeat, and take up 80 % of the "
                     "program's time, before one repetition is recorded as the iteration");
  add(loop_seconds->capture_default_str()->check(duration()));
  loop_seconds_ = loop_seconds;
  add(app.add_option("--gpu", injection.gpu,
                     "number of the GPU to measure, as the program numbers its GPUs; default: its only GPU")
          ->check(whole_number(0, kMostGpuNumber)));
  add(app.add_option("--rank", injection.rank,
                     "rank of the process to measure, as in its environment variable RANK or LOCAL_RANK; "
                     "default: in kjoule compare, all ranks that have collectives together; otherwise, the "
                     "first process that launches GPU work")
          ->check(whole_number(0, kMostNamedRanks - 1)));
  of_search_ = {app.get_option("--range"), app.get_option("--skip-iterations"), loop_seconds};
}

void SubjectArguments::refuse_search(const std::string& where) const {
  refuse_given(of_search_, where, "omit it");
}

std::string SubjectArguments::take_iterations() {
  std::erase_if(for_programs, [](const CLI::Option* one) { return one->get_name() == "--iterations"; });
  return std::exchange(iterations, {});
}

void SubjectArguments::declare(CLI::App& app) {
  declare_program(app);
  app.add_option("--device", device, "device: auto, cpu, cuda or simulated:SPEC")->capture_default_str();
  for_models.push_back(input_file(
      app.add_option("--model", model,
                     "model to measure: TorchScript (.pt) or AOTInductor (.pt2) file (see kjoule export)")));
  declare_attach(app);
  declare_recording(app);
  const std::vector<CLI::Option*> inputs = declare_inputs(app);
  for_models.insert(for_models.end(), inputs.begin(), inputs.end());
  of_inputs = {app.get_option("--seq-len"), app.get_option("--batch"), app.get_option("--input")};
}

void SubjectArguments::declare_other_ranks(CLI::App& app) {
  for_models.push_back(
      input_file(app.add_option("--other-ranks", other_ranks,
                                "models of ranks 1, 2, ... of a program whose rank 0 is --model; all ranks "
                                "run in step on the CPU, and their collectives use gloo")
                     ->needs(app.get_option("--model"))));
}

void SubjectArguments::declare_attach(CLI::App& app) {
  const char* group = "For a program that is already running";
  app.add_option("--attach", attach.name,
                 "name of a running program that was started with the variables of kjoule env; it is paused "
                 "while it is measured, and continues afterwards")
      ->group(group);
  app.add_option("--pid", attach.pid,
                 "process id of a running program that was started with the variables of kjoule env")
      ->group(group)
      ->check(whole_number(1, kMostProcesses));
}

void SubjectArguments::declare_recording(CLI::App& app) {
  CLI::Option* file = input_file(
      app.add_option("--recording", recording,
                     "file of kjoule record: the program or model must launch what is recorded there, and "
                     "options that are not given are taken from this file"));
  CLI::Option* runs =
      app.add_flag("--run-recorded", run_recorded_,
                   "run the program or model that the recording names, after asking for confirmation")
          ->needs(file);
  app.add_flag("--yes", yes_, "confirm --run-recorded without being asked")->needs(runs);
}

void SubjectArguments::declare_lender(CLI::App& app) {
  const char* group = "For a trace or a table";
  CLI::Option* lends =
      input_file(app.add_option("--model", model,
                                "model (see kjoule export) from which missing operators and shapes are "
                                "taken, for the kernels that it also launches; it is run on --device"))
          ->group(group);
  for_models.push_back(lends);
  std::vector<CLI::Option*> of_model = declare_inputs(app);
  of_model.push_back(app.add_option("--device", device, "device: auto, cpu or cuda")->capture_default_str());
  for (CLI::Option* option : of_model) for_models.push_back(option->group(group)->needs(lends));
}

std::vector<CLI::Option*> SubjectArguments::declare_inputs(CLI::App& app) {
  return {
      app.add_option("--seq-len", seq_len, "tokens per sequence; default: as exported")
          ->check(whole_number(1, kMostSize)),
      app.add_option("--batch", batch, "samples per iteration; default: as exported")
          ->check(whole_number(1, kMostSize)),
      app.add_option("--input", inputs,
                     "input of the model as TYPE:SIZExSIZE[:LOW..HIGH], for model files that do not describe "
                     "their inputs; may be repeated")
          ->check(input_description()),
      app.add_option("--seed", seed, "random seed of the inputs")->capture_default_str(),
      app.add_option("--threads", threads, "number of libtorch's threads; default: chosen by libtorch")
          ->check(whole_number(1, kMostThreads))};
}

void SubjectArguments::take_recorded_code() {
  if (!run_recorded_ || recording.empty()) return;
  if (!program.empty() || !model.empty())
    throw UsageError("--run-recorded has no effect together with --model or a program after --",
                     "omit one of them");
  const RecordedCode code = recorded_code(read_recording(recording), recording);
  run_recorded_ = false;  // the user is asked only once, even if the program is started several times
  if (!code.program.empty()) confirm(recording + " names this program", shell_text(code.program), yes_);
  if (!code.model.empty()) confirm(recording + " names this model", shell_text({code.model}), yes_);
  program = code.program;
  model = code.model;
}

void SubjectArguments::accept_first_gpu() {
  if (is_program() || injection.gpu != 0 || !other_ranks.empty()) return;
  const auto is_gpu = [](const CLI::Option* one) { return one->get_name() == "--gpu"; };
  const auto option = std::ranges::find_if(for_programs, is_gpu);
  const bool on_cuda = device == "cuda" || (device == "auto" && device_for_runner(*this) == "cuda");
  if (!on_cuda) report_no_effect({*option}, "on a model that runs on the CPU");
  for_programs.erase(option);
  injection.gpu.reset();
}

const SubjectOptions& SubjectArguments::checked() {
  take_recorded_code();
  if (!iterations.empty()) injection.iteration_launches = parse_launch_span(iterations);
  // kjoule compare waits longer for a loop by default, but an attached program continues afterwards, so that
  // any of its loops may be measured.
  if (attach.is_given() && loop_seconds_->count() == 0) injection.loop_s = InjectionOptions().loop_s;
  accept_first_gpu();
  refuse_what_has_no_effect(*this);
  return *this;
}

}  // namespace kjoule
