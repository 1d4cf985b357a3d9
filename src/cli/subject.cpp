#include "cli/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.hpp"
#include "base/process.hpp"
#include "cli/numbers.hpp"
#include "play/injected_program.hpp"
#include "play/remote_device.hpp"
#include "simulated/device.hpp"

namespace kjoule {

namespace {

constexpr const char* kSimulated = "simulated";

nlohmann::json asked_of_program(const SubjectOptions& options) {
  InjectionOptions same_every_time = options.injection;
  same_every_time.socket.clear();
  same_every_time.after = {};
  return {{"program", options.program}, {"injection", same_every_time.to_environment()}};
}

nlohmann::json asked(const SubjectOptions& options) {
  nlohmann::json json{{"model", options.model},
                      {"device", options.device},
                      {"seed", options.seed},
                      {"threads", options.threads},
                      {"inputs", options.inputs}};
  if (options.seq_len) json["seq_len"] = *options.seq_len;
  if (options.batch) json["batch"] = *options.batch;
  return json;
}

/// Options that were not given become those that the recording was made with. One that was given stays: a
/// model may have moved, and threads are the run's own; what no longer does what was recorded is refused when
/// it is recorded.
void take_from(const Recording& recording, SubjectOptions& options) {
  const nlohmann::json& from = recording.program.value("asked", nlohmann::json());
  if (!from.is_object())
    throw Error(options.recording + ": does not say which model it was made from", "record again");
  if (from.contains("program")) {
    const InjectionOptions::After after = options.injection.after;
    options.program = from.at("program").get<std::vector<std::string>>();
    options.injection = InjectionOptions::parse(from.at("injection").get<Environment>());
    options.injection.after = after;
    return;
  }
  if (options.model.empty()) options.model = from.at("model");
  if (options.device == SubjectOptions().device) options.device = from.at("device");
  if (options.seed == 0) options.seed = from.at("seed");
  if (options.threads == 0) options.threads = from.at("threads");
  if (options.inputs.empty()) options.inputs = from.at("inputs").get<std::vector<std::string>>();
  if (!options.seq_len && from.contains("seq_len")) options.seq_len = from.at("seq_len").get<int64_t>();
  if (!options.batch && from.contains("batch")) options.batch = from.at("batch").get<int64_t>();
}

std::vector<std::string> child_command(const SubjectOptions& options) {
  const std::filesystem::path child = std::filesystem::path(executable_folder()) / "kjoule-torch";
  if (!std::filesystem::exists(child))
    throw Error("kjoule-torch is not beside kjoule",
                "build it with torch: make build (kjoule doctor tells more)");
  std::vector<std::string> command{child,
                                   "--fd",
                                   "{fd}",
                                   "--model",
                                   options.model,
                                   "--seed",
                                   std::to_string(options.seed),
                                   "--threads",
                                   std::to_string(options.threads)};
  if (options.seq_len) command.insert(command.end(), {"--seq-len", std::to_string(*options.seq_len)});
  if (options.batch) command.insert(command.end(), {"--batch", std::to_string(*options.batch)});
  for (const std::string& input : options.inputs) command.insert(command.end(), {"--input", input});
  return command;
}

Subject open_simulated(const SubjectOptions& options) {
  const size_t colon = options.device.find(':');
  auto device = std::make_unique<SimulatedDevice>(
      parse_simulated_spec(colon == std::string::npos ? "" : options.device.substr(colon + 1)));
  VirtualClock& clock = device->clock();
  Subject subject;
  subject.clock = &clock;
  subject.continue_at = [&clock](int64_t ns) { clock.set_ns(ns); };
  subject.program = {{"asked", asked(options)}};
  subject.title = options.device;
  subject.device = std::move(device);
  return subject;
}

Subject open_model(const SubjectOptions& options) {
  if (options.model.empty())
    throw Error(
        "no model given",
        "kjoule compare --model M.pt (kjoule export bloom -o M.pt makes one), or kjoule compare -- PROGRAM");
  if (!std::filesystem::is_regular_file(options.model))
    throw Error(options.model + (std::filesystem::exists(options.model) ? ": is no file" : ": no such file"),
                "kjoule export MODEL -o FILE writes a model");
  Subject subject;
  subject.device = std::make_unique<RemoteDevice>(child_command(options));
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.program = {{"asked", asked(options)}, {"model_hash", hash_file(options.model)}};
  subject.threads = subject.device->info().description.value("threads", options.threads);
  subject.title = fmt::format("{} on {}", std::filesystem::path(options.model).filename().string(),
                              subject.device->info().description.value("title", "the CPU"));
  return subject;
}

/// `command` under the injected library. A model on a GPU is such a command too: its runner's.
Subject open_program(const std::vector<std::string>& command, const SubjectOptions& options) {
  auto program = std::make_shared<InjectedProgram>(command, find_injected_library(), options.injection);
  Subject subject;
  subject.device = std::make_unique<RemoteDevice>(program);
  static const SteadyClock clock;
  subject.clock = &clock;
  subject.program = {{"asked", asked_of_program(options)}};
  subject.title =
      fmt::format("{} on {}", program->name(), program->info().description.value("title", "CUDA"));
  subject.run_to_end = [program] { return program->run_to_end(); };
  return subject;
}

const CLI::Option* first_given(const std::vector<const CLI::Option*>& options) {
  const auto given =
      std::find_if(options.begin(), options.end(), [](const auto* one) { return one->count() > 0; });
  return given == options.end() ? nullptr : *given;
}

/// An option that has no effect would be believed to have one.
void refuse_what_has_no_effect(const SubjectOptions& options) {
  if (const CLI::Option* one = options.program.empty() ? nullptr : first_given(options.for_models))
    throw Error(one->get_name() + " has no effect on a program", "leave it away, or measure a --model");
  if (const CLI::Option* one = options.program.empty() ? first_given(options.for_programs) : nullptr)
    throw Error(one->get_name() + " is for programs that use CUDA",
                "kjoule compare " + one->get_name() + " .. -- PROGRAM");
  if (!options.program.empty() && options.device != "auto" && options.device != "cuda")
    throw Error("--device " + options.device + ": programs are measured on CUDA",
                "leave it away, or measure a --model");
}

}  // namespace

void SubjectOptions::declare_program(CLI::App& app) {
  const char* group = "For a program: kjoule COMMAND -- PROGRAM ARGS";
  const auto add = [&](CLI::Option* option) { for_programs.push_back(option->group(group)); };
  add(app.add_option("--range", injection.range,
                     "NVTX range that is an iteration; default: found by itself"));
  add(app.add_option_function<std::string>(
      "--iterations", [this](const std::string& text) { injection.iterations = parse_launch_span(text); },
      "A..B: the launches from A on and before B, counted from 0, are the iteration"));
  add(app.add_option("--skip-iterations", injection.skip_iterations,
                     "iterations that pass before one is recorded")
          ->capture_default_str()
          ->check(CLI::NonNegativeNumber));
  add(app.add_option("--gpu", injection.gpu, "the program's GPU of that number; default: its only one")
          ->check(CLI::NonNegativeNumber));
  add(app.add_option("--rank", injection.rank, "the process of that RANK or LOCAL_RANK; default: the first")
          ->check(CLI::NonNegativeNumber));
}

void SubjectOptions::declare(CLI::App& app) {
  declare_program(app);
  app.add_option("--device", device, "auto, cpu, cuda or simulated:SPEC")->capture_default_str();
  const auto add = [&](CLI::Option* option) { for_models.push_back(option); };
  add(app.add_option("--model", model, "TorchScript (.pt) or AOTInductor (.pt2) file, see kjoule export"));
  add(app.add_option(
      "--recording", recording,
      "a recording.jsonl: measures what it was made from; options that are not given are its own"));
  add(app.add_option("--seq-len", seq_len, "tokens a sequence; default: as exported")->check(at_least(1)));
  add(app.add_option("--batch", batch, "samples an iteration; default: as exported")->check(at_least(1)));
  add(app.add_option("--input", inputs,
                     "TYPE:SIZExSIZE[:LOW..HIGH], for a model that does not say what it takes"));
  add(app.add_option("--seed", seed, "of the inputs")->capture_default_str());
  add(app.add_option("--threads", threads, "of libtorch; default: its own choice")->check(at_least(0)));
}

Subject open_subject(SubjectOptions options) {
  refuse_what_has_no_effect(options);
  std::optional<Recording> expected;
  if (!options.recording.empty()) {
    expected = read_recording(options.recording);
    take_from(*expected, options);
  }
  Subject subject;
  if (!options.program.empty()) {
    subject = open_program(options.program, options);
  } else if (options.device.starts_with(kSimulated)) {
    subject = open_simulated(options);
  } else if (options.device == "cuda") {
    throw Error(
        "this kjoule runs models on the CPU only",
        "use --device cpu, or measure a Python program that runs it: kjoule compare -- python infer.py");
  } else if (options.device == "auto" || options.device == "cpu") {
    subject = open_model(options);
  } else {
    throw Error("--device " + options.device + ": not known", "use auto, cpu, cuda or simulated:SPEC");
  }
  subject.expected = std::move(expected);
  return subject;
}

Subject open_recordable_subject(SubjectOptions options) {
  Subject subject = open_subject(std::move(options));
  if (!subject.device->info().recordable) subject.device->record();
  return subject;
}

}  // namespace kjoule
