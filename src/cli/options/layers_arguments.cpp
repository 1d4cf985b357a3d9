#include "cli/options/layers_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/process/terminal.hpp"
#include "cli/options/allowed_operators.hpp"
#include "cli/options/comma_list.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/share.hpp"

namespace kjoule {

namespace {

/// Longest time, s, of the runs of a layer that are repeated together on a CPU, if --unroll was not given.
constexpr double kGraphOnCpu_s = 1;
constexpr double kIdleSettle_s = 5, kIdleSpan_s = 5;

/// Returns the first value that occurs twice; no value if there is none.
std::optional<std::string> repeated(const std::vector<std::string>& values) {
  std::set<std::string> seen;
  for (const std::string& value : values)
    if (!seen.insert(value).second) return value;
  return {};
}

}  // namespace

void LayersArguments::declare(CLI::App& app) {
  app.add_option("--device", subject_.device, "device: auto, cpu or cuda")->capture_default_str();
  const CLI::Option* threads = app.add_option("--threads", subject_.threads,
                                              "number of libtorch's threads; default: chosen by libtorch")
                                   ->check(whole_number(1, kMostThreads));
  const CLI::Option* buffers =
      add_list(
          app, "--buffers", options_.buffers,
          "how layers are measured. context: in the network, each after its real predecessor. rotate: in "
          "isolation, on several copies of inputs and weights in turn. same: in isolation, always on the "
          "same inputs and weights. Several values are separated by commas: the first one gives the "
          "results, and times of the others are reported in addition")
          ->default_str("context");
  unroll_option_ = app.add_option("--unroll", options_.alone.unroll,
                                  "number of runs of a layer in one CUDA graph (rotate and same). On a CPU, "
                                  "fewer by default where they would take longer than a second")
                       ->capture_default_str()
                       ->check(whole_number(1, kMostRuns));
  const CLI::Option* iterations = app.add_option(
      "--iters", iterations_,
      "number of runs of a layer in one reading (rotate and same): at least --unroll, and rounded down to a "
      "multiple of it; default: auto, as many as a reading needs. For a network, --iterations sets the same "
      "number");
  const CLI::Option* limit = app.add_option("--time-limit", options_.rounds.time_limit_s,
                                            "longest time in seconds for measuring the layers within the "
                                            "network; default: as in kjoule compare")
                                 ->capture_default_str()
                                 ->check(duration());
  const CLI::Option* check =
      input_file(app.add_option("--check", options_.check,
                                "model file of the same network (see kjoule export), whose "
                                "measured iteration is compared with the sum of the layers"));
  energy_.declare(app);
  subject_.declare_program(app);
  const CLI::Option* allowed = declare_allowed_operators(app, subject_.allowed_operators);
  of_alone_ = {unroll_option_, iterations};
  of_context_ = {limit};
  of_context_.insert(of_context_.end(), energy_.of_sums.begin(), energy_.of_sums.end());
  of_networks_ = {threads, buffers, unroll_option_, iterations, check, allowed};
  of_iterations_ = {app.get_option("--range"), app.get_option("--iterations")};
}

void LayersArguments::take_iterations() {
  std::string given = subject_.take_iterations();
  if (given.empty()) return;
  if (!iterations_.empty())
    throw UsageError("--iterations and --iters both set the number of runs of a layer",
                     "give only one of them");
  iterations_ = std::move(given);
  iterations_option_ = "--iterations";
  for (const CLI::Option* option : of_iterations_)
    if (option->get_name() == "--iterations") of_alone_.push_back(option);
}

void LayersArguments::refuse_for_network() {
  subject_.accept_first_gpu();
  refuse_given(subject_.for_programs, "on a network, because kjoule runs it on the first visible GPU",
               "omit it; CUDA_VISIBLE_DEVICES=N chooses the GPU");
}

void LayersArguments::refuse_for_program() const {
  refuse_given(of_networks_, "on the layers of a program, because they are always measured in context",
               "omit it");
  if (subject_.device != "auto" && subject_.device != "cuda")
    throw UsageError("--device " + subject_.device + ": a program is always measured on its GPU, with CUDA",
                     "omit --device, or give a network instead of the program");
}

void LayersArguments::refuse_for_pipelines() const {
  refuse_for_program();
  refuse_given(of_iterations_, "on a Python file, because its pipelines are the iterations", "omit it");
}

void LayersArguments::refuse_for_buffers(const RunArguments& runs) const {
  if (options_.in_context() && options_.buffers.size() == 1)
    refuse_given(of_alone_, "on layers that are measured in context only",
                 "also give --buffers context,rotate or context,same");
  if (options_.in_context() || !options_.check.empty()) return;
  const char* in_isolation = "on layers that are measured in isolation";
  refuse_given(of_context_, in_isolation, "omit it, or let --buffers begin with context");
  report_no_effect({runs.warmup_option, runs.runs_option}, in_isolation);
}

NetworkOptions LayersArguments::for_network() {
  for (const std::string& name : options_.buffers)
    if (name != "context" && name != "rotate" && name != "same")
      throw UsageError("--buffers " + name + ": not known", "use context, rotate or same");
  if (const auto twice = repeated(options_.buffers))
    throw UsageError(fmt::format("--buffers: {} is given twice", *twice), "give it once");
  if (std::count(options_.buffers.begin() + 1, options_.buffers.end(), "context") > 0)
    throw UsageError("--buffers: context must come first if several values are given",
                     "for example --buffers context,rotate");
  if (!iterations_.empty() && iterations_ != "auto") {
    const int64_t number = parse_whole_number(iterations_).value_or(0);
    if (number < 1 || number > kMostRuns)
      throw UsageError(fmt::format("{} {}: is neither auto nor a whole number from 1 to {}",
                                   iterations_option_, iterations_, kMostRuns),
                       "use auto, or a number in this range");
    options_.alone.iterations = number;
    const int64_t unroll = options_.alone.unroll;
    if (number < unroll)
      throw UsageError(fmt::format("{} {}: is less than the {} runs of one graph (--unroll)",
                                   iterations_option_, number, unroll),
                       fmt::format("give at least {}, or also --unroll {}", unroll, number));
    if (number % unroll != 0)
      print_error("{} {} is rounded down to {}, which is a multiple of --unroll {}\n", iterations_option_,
                  number, number / unroll * unroll, unroll);
  }
  subject_.device = device_for_runner(subject_);
  if (subject_.device == "cpu" && unroll_option_->count() == 0 && !options_.alone.iterations)
    options_.alone.most_graph_s = kGraphOnCpu_s;
  return completed();
}

NetworkOptions LayersArguments::for_program(const std::vector<std::string>& program) {
  subject_.program = program;
  subject_.checked();
  return completed();
}

NetworkOptions LayersArguments::for_pipelines(const std::string& iteration) {
  subject_.injection.nvtx_range = iteration;
  return completed();
}

NetworkOptions LayersArguments::completed() {
  options_.energy = {share(energy_.precision, "--energy-precision"), energy_.time_limit_s, kIdleSettle_s,
                     kIdleSpan_s};
  options_.subject = subject_;
  options_.meters = energy_;
  return options_;
}

}  // namespace kjoule
