#include "cli/subject_arguments.hpp"

#include <utility>

#include "cli/numbers.hpp"

namespace kjoule {

namespace {

void refuse_what_has_no_effect(const SubjectArguments& options) {
  if (!options.program.empty())
    refuse_given(options.for_models, "on a program", "leave it away, or measure a --model");
  if (options.injection.iterations && !options.injection.range.empty())
    throw UsageError("--range has no effect beside --iterations A..B", "leave one of them away");
  const bool on_cuda = !options.program.empty() || options.device == "cuda";
  if (const CLI::Option* one = on_cuda ? nullptr : first_given(options.for_programs))
    throw UsageError(one->get_name() + " is for programs that use CUDA",
                     "kjoule compare " + one->get_name() + " .. -- PROGRAM, or --device cuda");
  if (options.program.empty() && (options.injection.gpu || options.injection.rank))
    throw UsageError("a model runs in one process, on the first GPU that it sees",
                     "leave --gpu and --rank away; CUDA_VISIBLE_DEVICES=N chooses the GPU");
  if (!options.program.empty() && options.device != "auto" && options.device != "cuda")
    throw UsageError("--device " + options.device + ": programs are measured on CUDA",
                     "leave it away, or measure a --model");
}

}  // namespace

void SubjectArguments::declare_program(CLI::App& app) {
  const char* group = "For a program (kjoule COMMAND -- PROGRAM ARGS), or a model with --device cuda";
  const auto add = [&](CLI::Option* option) { for_programs.push_back(option->group(group)); };
  add(app.add_option("--range", injection.range,
                     "NVTX range that is an iteration; default: found by itself"));
  add(app.add_option(
      "--iterations", iterations,
      "A..B: the launches from A on and before B, counted from 0, are the iteration; of a trace or "
      "table (--kernels) N: how many iterations it holds"));
  add(app.add_option("--skip-iterations", injection.skip_iterations,
                     "iterations that pass before one is recorded")
          ->capture_default_str()
          ->check(CLI::NonNegativeNumber));
  add(app.add_option("--gpu", injection.gpu, "the program's GPU of that number; default: its only one")
          ->check(CLI::NonNegativeNumber));
  add(app.add_option("--rank", injection.rank, "the process of that RANK or LOCAL_RANK; default: the first")
          ->check(CLI::NonNegativeNumber));
}

std::string SubjectArguments::take_iterations() {
  std::erase_if(for_programs, [](const CLI::Option* one) { return one->get_name() == "--iterations"; });
  return std::exchange(iterations, {});
}

void SubjectArguments::declare(CLI::App& app) {
  declare_program(app);
  app.add_option("--device", device, "auto, cpu, cuda or simulated:SPEC")->capture_default_str();
  for_models.push_back(
      app.add_option("--model", model, "TorchScript (.pt) or AOTInductor (.pt2) file, see kjoule export"));
  for_models.push_back(app.add_option(
      "--recording", recording,
      "a recording.jsonl: measures what it was made from; options that are not given are its own"));
  for (const CLI::Option* option : declare_inputs(app)) for_models.push_back(option);
}

void SubjectArguments::declare_lender(CLI::App& app) {
  const char* group = "For a trace or a table";
  CLI::Option* lends =
      app.add_option("--model", model,
                     "a model that lends operators and shapes where kernels agree: it is run "
                     "on --device, see kjoule export")
          ->group(group);
  for_models.push_back(lends);
  std::vector<CLI::Option*> of_model = declare_inputs(app);
  of_model.push_back(app.add_option("--device", device, "auto, cpu or cuda")->capture_default_str());
  for (CLI::Option* option : of_model) for_models.push_back(option->group(group)->needs(lends));
}

std::vector<CLI::Option*> SubjectArguments::declare_inputs(CLI::App& app) {
  return {app.add_option("--seq-len", seq_len, "tokens a sequence; default: as exported")->check(at_least(1)),
          app.add_option("--batch", batch, "samples an iteration; default: as exported")->check(at_least(1)),
          app.add_option("--input", inputs,
                         "TYPE:SIZExSIZE[:LOW..HIGH], for a model that does not say what it takes"),
          app.add_option("--seed", seed, "of the inputs")->capture_default_str(),
          app.add_option("--threads", threads, "of libtorch; default: its own choice")->check(at_least(1))};
}

const SubjectOptions& SubjectArguments::checked() {
  if (!iterations.empty()) injection.iterations = parse_launch_span(iterations);
  refuse_what_has_no_effect(*this);
  return *this;
}

}  // namespace kjoule
