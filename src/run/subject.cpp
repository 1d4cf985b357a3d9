#include "run/subject.hpp"

#include <fmt/format.h>

#include <cmath>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "device/attached_program.hpp"
#include "device/attached_ranks.hpp"
#include "device/injected_program.hpp"
#include "device/models_in_step.hpp"
#include "device/ranked_device.hpp"
#include "device/remote_device.hpp"
#include "power/sensor_rate.hpp"
#include "recording/call_ranges.hpp"
#include "run/product_runner.hpp"
#include "run/recorded_subject.hpp"
#include "run/started_runner.hpp"
#include "run/torch_runner.hpp"
#include "simulated/device.hpp"
#include "simulated/meter.hpp"

namespace kjoule {

namespace {

constexpr const char* kSimulated = "simulated";

constexpr const char* kCuda = "cuda";

/// Number of iterations of calls before the recorded one. Calls allocate their memory in the first iteration;
/// the second one is like all later ones.
constexpr int64_t kIterationsBeforeCalls = 2;
/// Number of iterations of samples on a GPU before the recorded one. Samples differ in size, so the state of
/// PyTorch's allocator changes for some more iterations.
constexpr int64_t kIterationsBeforeSamples = 4;

/// Number of iterations that kjoule-torch runs until one is found. If none is found, kjoule-torch ends.
constexpr int64_t kIterationsToFindOne = 1000;

nlohmann::json asked_of_injection(const SubjectOptions& options) {
  InjectionOptions same_every_time = options.injection;
  same_every_time.windows.clear();
  same_every_time.socket.clear();
  same_every_time.run_log.clear();
  same_every_time.after = {};
  same_every_time.timed_iterations = InjectionOptions().timed_iterations;
  return same_every_time.to_environment();
}

nlohmann::json asked(const SubjectOptions& options) {
  if (!options.program.empty())
    return {{"program", options.program}, {"injection", asked_of_injection(options)}};
  if (options.attach.is_given())
    return {{"attached", options.attach.name}, {"injection", asked_of_injection(options)}};
  nlohmann::json json{{"model", options.model},
                      {"device", options.device},
                      {"seed", options.seed},
                      {"threads", options.threads},
                      {"inputs", options.inputs}};
  if (!options.other_ranks.empty()) json["other_ranks"] = options.other_ranks;
  if (options.seq_len) json["seq_len"] = *options.seq_len;
  if (options.batch) json["batch"] = *options.batch;
  if (!options.fuses_operators) json["fuses_operators"] = false;
  if (options.device == kCuda) json["injection"] = asked_of_injection(options);
  return json;
}

std::vector<std::unique_ptr<Meter>> meters_of(SimulatedDevice& device) {
  std::vector<std::unique_ptr<Meter>> meters;
  if (device.program().spec.meter == SimulatedSpec::MeterHealth::none) return meters;
  const std::string board = device.info().description.at("name");
  const auto rate = find_sensor_rate(read_sensor_rates(sensor_rates_path()), kSimulated, board);
  for (const auto kind : {SimulatedMeterKind::energy_counter, SimulatedMeterKind::power_samples}) {
    meters.push_back(make_simulated_meter(device, kind));
    meters.back()->identify(kSimulated, board, {}, rate);
  }
  return meters;
}

Subject open_simulated(const SubjectOptions& options) {
  const size_t colon = options.device.find(':');
  auto device = std::make_unique<SimulatedDevice>(
      parse_simulated_spec(colon == std::string::npos ? "" : options.device.substr(colon + 1)));
  VirtualClock& clock = device->clock();
  Subject subject;
  subject.clock = &clock;
  subject.continue_at = [&clock](int64_t ns) { clock.set_ns(ns); };
  subject.restart = [its = device.get()](int64_t now_ns, int round) { its->restart(now_ns, round); };
  subject.let_pass = [&clock](double seconds) { clock.advance_ns(std::llround(seconds * 1e9)); };
  subject.program = {{"asked", asked(options)}};
  subject.title = options.device;
  subject.own_meters = [its = device.get()] { return meters_of(*its); };
  subject.device = std::move(device);
  return subject;
}

std::string title_of(const std::string& what, const Device& device, const char* otherwise) {
  return fmt::format("{} on {}", what, device.info().description.value("title", otherwise));
}

/// Throws Error if the model is not a file.
void need_model(const std::string& model) {
  if (!std::filesystem::is_regular_file(model))
    throw Error(model + (std::filesystem::exists(model) ? ": is not a regular file" : ": no such file"),
                "kjoule export MODEL -o FILE writes a model");
}

Subject open_on_cpu(const RunnerWork& work) {
  Subject subject;
  subject.device = start_runner(work).device;
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.threads = subject.device->info().description.value("threads", work.threads);
  return subject;
}

/// Starts the program `command` with the injected library, and opens it as a subject.
Subject open_program(const std::vector<std::string>& command, const InjectionOptions& injection,
                     ProgramStreams streams = {}, const Environment& more = {}) {
  auto program =
      std::make_shared<InjectedProgram>(command, find_injected_library(), injection, streams, more);
  Subject subject;
  if (program->board() != nullptr) {
    auto ranked =
        std::make_unique<RankedDevice>(program, LinkedRank{program, &program->process(), program->info()});
    subject.ranks = ranked.get();
    subject.device = std::move(ranked);
  } else {
    subject.device = std::make_unique<RemoteDevice>(program);
  }
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.title = title_of(program->name(), *subject.device, "CUDA");
  subject.run_to_end = [program] { return program->run_to_end(); };
  subject.run_for = [program](double seconds) {
    return program->run_for(std::chrono::milliseconds(std::llround(1e3 * seconds)));
  };
  return subject;
}

/// Attaches to a running program and waits until it launches something. Several processes with the wanted
/// name are measured together, unless the options choose a part that is measured in one process.
Subject open_running(const WantedProgram& wanted, const InjectionOptions& injection) {
  const std::vector<WaitingProgram> all = waiting_programs();
  const std::vector<WaitingProgram> programs =
      injection.may_have_ranks() ? select_programs(all, wanted) : std::vector{select_program(all, wanted)};
  const std::string who = programs.size() == 1 ? fmt::format("process {}", programs.front().pid)
                                               : fmt::format("{} processes", programs.size());
  const AttachListener listener{
      [&] {
        print_error(
            "{} ({}) will be paused as soon as one of its iterations has been found, and continues after the "
            "measurement, or when kjoule ends\n",
            programs.front().name, who);
      },
      [](const std::string& seen) { print_error("no iteration has been found yet: {}\n", seen); }};
  Subject subject;
  if (programs.size() == 1) {
    subject.device = attach(programs.front(), injection, listener);
  } else {
    const auto ranks = std::make_shared<AttachedRanks>(programs, injection, listener);
    auto ranked = std::make_unique<RankedDevice>(ranks, ranks->first());
    subject.ranks = ranked.get();
    subject.device = std::move(ranked);
  }
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.title = title_of(programs.front().name, *subject.device, "CUDA");
  return subject;
}

/// Opens work on a GPU: starts kjoule-torch or kjoule-blas with the injected library, like a user's program.
/// `runner_command` returns the command line for given arguments.
Subject open_on_cuda(const std::function<RunnerCommand(std::vector<std::string>)>& runner_command,
                     const RunnerWork& work, const InjectionOptions& injection) {
  const TemporaryFolder folder;  // the runner has read the file before it uses CUDA
  const std::string file = folder / "work.json";
  write_work(file, work);
  const int64_t passed = injection.skip_iterations + injection.timed_iterations;
  const RunnerCommand command =
      runner_command({"--run", std::to_string(passed + kIterationsToFindOne), "--work", file});
  Subject subject = open_program(command.words, injection, {}, command.environment);
  subject.run_to_end = [] { return 0; };  // the runner has no work of its own to finish
  return subject;
}

/// Returns the options with which the calls of an iteration are recorded, which an NVTX range marks.
InjectionOptions injection_for_calls() {
  InjectionOptions injection;
  injection.nvtx_range = kCallsRange;
  injection.skip_iterations = kIterationsBeforeCalls;
  return injection;
}

/// Sets the description and title of a subject that makes calls of the table `source`.
void name_calls(Subject& subject, const SubjectOptions& options, const std::vector<ReplayCall>& calls,
                const std::string& source) {
  subject.program = describe_calls(options, calls, source);
  subject.title = title_of(std::filesystem::path(source).filename().string(), *subject.device, "the CPU");
}

/// Opens kjoule-torch with the work `what`, on the device and with the threads of `options`.
template <class What>
Subject open_work(const SubjectOptions& options, What what) {
  RunnerWork work = runner_place(options);
  work.what = std::move(what);
  if (work.device == "cpu") return open_on_cpu(work);
  const auto command = [](std::vector<std::string> arguments) {
    return torch_runner_command(std::move(arguments));
  };
  return open_on_cuda(command, work, options.injection);
}

/// Opens the models of several ranks on the CPU, each in a process of its own.
Subject open_models_in_step(const SubjectOptions& options) {
  const TemporaryFolder folder;  // the processes have met before it is removed
  std::vector<std::string> models{options.model};
  models.insert(models.end(), options.other_ranks.begin(), options.other_ranks.end());
  std::vector<RunnerWork> works;
  for (size_t rank = 0; rank < models.size(); ++rank) {
    RunnerWork work = runner_place(options);
    ModelWork model = model_work(options);
    model.path = models[rank];
    work.what = std::move(model);
    work.rank = {static_cast<int>(rank), static_cast<int>(models.size()), folder / "ranks"};
    works.push_back(std::move(work));
  }
  const RunnerCommand command = torch_runner_command({"--fd", "{fd}"});
  auto device = std::make_unique<ModelsInStep>(command.words, command.environment, works);
  Subject subject;
  subject.ranks = device.get();
  subject.device = std::move(device);
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.threads =
      subject.device->info().description.value("threads", options.threads) * static_cast<int>(models.size());
  return subject;
}

/// Opens the models of several ranks. Throws Error if they do not run on the CPU.
Subject open_ranks_of_model(SubjectOptions options) {
  for (const std::string& model : options.other_ranks) need_model(model);
  options.device = device_for_runner(options);
  if (options.device != "cpu")
    throw UsageError("--other-ranks has an effect on the CPU only, because a GPU is used by one process here",
                     "choose --device cpu, or measure the program: kjoule compare -- torchrun ...");
  Subject subject = open_models_in_step(options);
  std::string hashes = hash_file(options.model);
  for (const std::string& model : options.other_ranks) hashes += hash_file(model);
  subject.program = {{"asked", asked(options)}, {"model_hash", hash_hex(hashes)}};
  subject.title = title_of(fmt::format("{} and {}", std::filesystem::path(options.model).filename().string(),
                                       counted(options.other_ranks.size(), "other rank")),
                           *subject.device, "the CPU");
  return subject;
}

Subject open_model(SubjectOptions options) {
  need_model_file(options);
  if (!options.other_ranks.empty()) return open_ranks_of_model(std::move(options));
  options.device = device_for_runner(options);
  Subject subject = open_work(options, model_work(options));
  subject.program = {{"asked", asked(options)}, {"model_hash", hash_file(options.model)}};
  subject.title =
      title_of(std::filesystem::path(options.model).filename().string(), *subject.device, "the CPU");
  return subject;
}

}  // namespace

void need_model_file(const SubjectOptions& options) {
  if (options.model.empty())
    throw UsageError(
        "no model or program was given",
        "use --model M.pt (kjoule export bloom -o M.pt writes one), -- PROGRAM, or --attach NAME");
  need_model(options.model);
}

Subject open_subject(SubjectOptions options) {
  std::optional<Recording> expected;
  if (!options.recording.empty()) {
    expected = read_recording(options.recording);
    take_recorded_options(*expected, options);
  }
  Subject subject;
  if (!options.program.empty()) {
    subject = open_program(options.program, options.injection, options.streams);
    subject.program = {{"asked", asked(options)}};
  } else if (options.attach.is_given()) {
    subject = open_running(options.attach, options.injection);
    subject.program = {{"asked", asked(options)}};
  } else if (options.device.starts_with(kSimulated)) {
    subject = open_simulated(options);
  } else if (options.device == "auto" || options.device == "cpu" || options.device == kCuda) {
    subject = open_model(options);
  } else {
    throw UsageError("--device " + options.device + ": not known", "use auto, cpu, cuda or simulated:SPEC");
  }
  subject.expected = std::move(expected);
  return subject;
}

nlohmann::json describe_calls(const SubjectOptions& options, const std::vector<ReplayCall>& calls,
                              const std::string& source) {
  std::string lines;
  for (const ReplayCall& call : calls) lines += call_line(call) + "\n";
  return {{"asked", {{"kernels", source}, {"device", options.device}, {"threads", options.threads}}},
          {"calls_hash", hash_hex(lines)}};
}

std::string device_for_runner(const SubjectOptions& options) {
  if (options.device == "cpu" || options.device == kCuda) return options.device;
  if (options.device != "auto")
    throw UsageError("--device " + options.device + ": not available for operators", "use auto, cpu or cuda");
  return lack_for_cuda(RunnerPlaces::of_this_machine()) ? "cpu" : kCuda;
}

Subject open_calls(SubjectOptions options, std::vector<ReplayCall> calls, const std::string& source) {
  options.device = device_for_runner(options);
  options.injection = injection_for_calls();
  Subject subject = open_work(options, calls);
  name_calls(subject, options, calls, source);
  return subject;
}

Subject open_products(SubjectOptions options, std::vector<ReplayCall> products, const std::string& source) {
  options.device = kCuda;
  Subject subject =
      open_on_cuda(product_runner_command, {.device = kCuda, .what = products}, injection_for_calls());
  name_calls(subject, options, products, source);
  return subject;
}

Subject open_sampled_operators(SubjectOptions options, std::vector<SampleRequest> operators) {
  const std::optional<int> gpu = options.injection.gpu;
  options.injection = {};
  options.injection.gpu = gpu;
  options.injection.nvtx_range = kCallsRange;
  options.injection.skip_iterations =
      options.device == kCuda ? kIterationsBeforeSamples : kIterationsBeforeCalls;
  options.injection.timed_iterations = 0;
  return open_work(options, std::move(operators));
}

Subject open_recordable_subject(SubjectOptions options) {
  Subject subject = open_subject(std::move(options));
  if (!subject.device->info().recordable) subject.device->record();
  return subject;
}

}  // namespace kjoule
