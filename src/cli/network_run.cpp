#include "cli/network_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/files.hpp"
#include "base/program_lines.hpp"
#include "base/temporary_folder.hpp"
#include "cli/effect.hpp"
#include "cli/numbers.hpp"
#include "cli/roof.hpp"
#include "cli/share.hpp"
#include "cli/torch_runner.hpp"
#include "cli/tried_calls.hpp"
#include "compare/replay.hpp"
#include "layers/network_result.hpp"
#include "layers/range_layers.hpp"
#include "report/json_reports.hpp"
#include "trace/replay_plan.hpp"

namespace kjoule {

namespace {

/// What the copies of a layer touch together, where there are that many: more than caches hold.
constexpr int64_t kTouched = int64_t{96} << 20;
constexpr double kIdleSettle_s = 5, kIdleSpan_s = 5;

/// Its input is its own, not what another layer has made.
OperatorCall by_itself(OperatorCall call) {
  for (nlohmann::json& argument : call.arguments)
    if (argument.is_object() && argument.contains("tensor")) argument.at("tensor").erase("previous");
  return call;
}

/// What stands for the layer where nothing was measured in context.
void take_alone(const std::string& buffers, LayerResult& layer) {
  const LayerAlone& alone = layer.alone[buffers];
  layer.each_s = alone.each_s;
  layer.each_j = alone.each_j;
  if (!layer.error.empty() || alone.each_s) return;
  layer.error = alone.error.empty() ? "launched nothing" : alone.error;
}

}  // namespace

void NetworkRun::declare(CLI::App& app) {
  app.add_option("--device", subject_.device, "auto, cpu or cuda")->capture_default_str();
  const CLI::Option* threads =
      app.add_option("--threads", subject_.threads, "of libtorch; default: its own choice")
          ->check(at_least(1));
  const CLI::Option* buffers =
      app.add_option("--buffers", buffers_,
                     "context: each layer behind its real predecessors; rotate: by itself, each copy with "
                     "inputs and weights of its own; same: by itself, always the same; several: the others "
                     "stand beside the first")
          ->capture_default_str()
          ->delimiter(',');
  const CLI::Option* unroll =
      app.add_option("--unroll", alone_.unroll, "copies of a layer in one graph, of layers by themselves")
          ->capture_default_str()
          ->check(at_least(1));
  const CLI::Option* iterations =
      app.add_option("--iters", iterations_,
                     "runs in a reading, of layers by themselves, rounded down to a multiple of --unroll")
          ->capture_default_str();
  const CLI::Option* limit = app.add_option("--time-limit", rounds_.time_limit_s,
                                            "of measuring in context, s; default: as kjoule compare")
                                 ->capture_default_str()
                                 ->check(above_zero());
  const CLI::Option* check = app.add_option(
      "--check", check_, "the same network as a model (kjoule export): measures that whole, too");
  energy_.declare(app);
  subject_.declare_program(app);
  of_alone_ = {unroll, iterations};
  of_context_ = {limit};
  of_context_.insert(of_context_.end(), energy_.of_sums.begin(), energy_.of_sums.end());
  of_networks_ = {threads, buffers, unroll, iterations, check};
  of_iterations_ = {app.get_option("--range"), app.get_option("--iterations")};
}

void NetworkRun::refuse_for_network() const {
  refuse_given(subject_.for_programs, "on a network, which kjoule runs itself on the first GPU that it sees",
               "leave it away; CUDA_VISIBLE_DEVICES=N chooses the GPU");
}

void NetworkRun::refuse_for_program() const {
  refuse_given(of_networks_, "on a program's own layers, which are measured in context as it runs them",
               "leave it away");
}

void NetworkRun::refuse_for_pipelines() const {
  refuse_for_program();
  refuse_given(of_iterations_, "on a Python file, whose pipelines are the iterations", "leave it away");
}

void NetworkRun::refuse_for_buffers(const RunOptions& runs) const {
  if (in_context() && buffers_.size() == 1)
    refuse_given(of_alone_, "on layers in context", "give --buffers context,rotate or context,same, too");
  Options of_context = of_context_;
  of_context.insert(of_context.end(), {runs.warmup_option, runs.runs_option});
  if (!in_context() && check_.empty())
    refuse_given(of_context, "on layers by themselves", "leave it away, or let --buffers begin with context");
}

void NetworkRun::complete_options() {
  for (const std::string& name : buffers_)
    if (name != "context" && name != "rotate" && name != "same")
      throw UsageError("--buffers " + name + ": not known", "use context, rotate or same");
  if (std::count(buffers_.begin() + 1, buffers_.end(), "context") > 0)
    throw UsageError("--buffers: context comes first, or not at all");
  if (iterations_ != "auto") {
    int64_t number = 0;
    if (!CLI::detail::lexical_cast(iterations_, number) || number < 1)
      throw UsageError("--iters " + iterations_ + ": not understood", "use auto, or a number from 1");
    alone_.iterations = number;
    const int64_t unroll = alone_.unroll;
    if (number % unroll != 0)
      fmt::print(stderr, "--iters {} is rounded to {}, a multiple of --unroll {}\n", number,
                 std::max<int64_t>(1, number / unroll) * unroll, unroll);
  }
  complete_options_of_program();
  subject_.device = device_for_runner(subject_);
}

void NetworkRun::complete_options_of_program() {
  joules_ = {share(energy_.precision, "--energy-precision"), energy_.time_limit_s, kIdleSettle_s,
             kIdleSpan_s};
}

NetworkResult NetworkRun::measure(const Network& network, const std::string& source, const std::string& type,
                                  const RunOptions& folder) {
  source_ = source;
  type_ = type;
  try_layers(network);
  NetworkResult result = described_network(network, refused_);
  result.buffers = buffers_.front();
  if (in_context()) measure_in_context(network, folder, result);
  if (!in_context() || buffers_.size() > 1) measure_alone(network, folder, result);
  if (!check_.empty()) result.check = checked(network, folder);
  return result;
}

NetworkResult NetworkRun::measure_program(const std::string& name, const std::vector<std::string>& program,
                                          const RunOptions& folder) {
  SubjectOptions options = subject_;
  options.program = program;
  Subject subject = open_recordable_subject(options);
  MeasuredRun run("layers", subject, folder);
  const Comparison comparison = reported(subject, run);
  return layers_of_ranges(name, options.injection.range, run.recording(), comparison);
}

void NetworkRun::check_parameters(const Network& network) const {
  if (check_.empty()) return;
  SubjectOptions options;
  options.model = check_;
  options.device = subject_.device;
  need_model_file(options);
  nlohmann::json told;
  run_for_objects(describing_runner(options, prepared_runner()), [&](const nlohmann::json& json) {
    if (json.contains("description"))
      told = json.at("description")
                 .value("metadata", nlohmann::json::object())
                 .value("parameters", nlohmann::json());
  });
  if (told.is_number_integer() && told.get<int64_t>() != network.parameters())
    throw Error(fmt::format("--check {}: has {} parameters, but {} has {}", check_, told.get<int64_t>(),
                            network.name, network.parameters()),
                "export the same network, or correct its sizes (--size)");
}

/// A layer that is refused is a row, and the others go on.
void NetworkRun::try_layers(const Network& network) {
  const TemporaryFolder folder;
  std::vector<ReplayCall> calls;
  for (const Layer& layer : network.layers) calls.emplace_back(layer.call);
  write_atomic(folder / "calls.jsonl", calls_text(calls));
  refused_ = tried_calls(trying_runner_for(subject_, folder / "calls.jsonl"), calls.size(), *make_progress());
  if (refused_.size() == calls.size())
    throw Error(fmt::format("{}: none of its layers can be run; {}: {}", source_, network.layers.front().name,
                            refused_.begin()->second));
}

void NetworkRun::measure_in_context(const Network& network, const RunOptions& folder, NetworkResult& result) {
  const TemporaryFolder temporary;
  SubjectOptions options = subject_;
  options.calls = temporary / "calls.jsonl";
  std::vector<ReplayCall> calls;
  std::vector<size_t> made;
  for (size_t i = 0; i < network.layers.size(); ++i)
    if (!refused_.contains(i)) {
      made.push_back(i);
      calls.emplace_back(network.layers[i].call);
    }
  write_atomic(options.calls, calls_text(calls));
  Subject subject = open_calls(options, source_);
  MeasuredRun run("layers", subject, folder);
  const Comparison comparison = reported(subject, run);
  result.roof = roof(run);
  add_in_context(network, made, run.recording(), comparison, result);
}

std::vector<size_t> NetworkRun::write_copies(const Network& network, const std::string& file) const {
  const bool rotates = std::find(buffers_.begin(), buffers_.end(), "rotate") != buffers_.end();
  std::vector<ReplayCall> calls;
  std::vector<size_t> made;
  for (const size_t place : distinct_layers(network)) {
    if (refused_.contains(place)) continue;
    const Layer& layer = network.layers[place];
    const int64_t fill =
        (kTouched + std::max<int64_t>(1, layer.bytes) - 1) / std::max<int64_t>(1, layer.bytes);
    const auto copies = rotates ? static_cast<size_t>(std::clamp<int64_t>(fill, 1, alone_.unroll)) : 1;
    made.insert(made.end(), copies, place);
    calls.insert(calls.end(), copies, by_itself(layer.call));
  }
  write_atomic(file, calls_text(calls));
  return made;
}

NetworkRun::Works NetworkRun::works_alone(const Network& network, const std::vector<size_t>& made,
                                          const Recording& recording) const {
  std::vector<size_t> numbers(made.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  const auto launches = launches_of_calls(recording, numbers);
  const std::vector<size_t> layers = distinct_layers(network);
  Works works;
  for (size_t l = 0; l < layers.size(); ++l)
    for (const std::string& buffers : buffers_) {
      if (buffers == "context") continue;
      AloneWork work{fmt::format("{} {}", buffers, network.layers[layers[l]].name), {}};
      for (size_t n = 0; n < made.size(); ++n)
        if (made[n] == layers[l] && launches.contains(n) && (buffers == "rotate" || work.copies.empty()))
          work.copies.push_back(launches.at(n));
      if (work.copies.empty()) continue;
      works.works.push_back(std::move(work));
      works.of.emplace_back(l, buffers);
    }
  return works;
}

void NetworkRun::measure_alone(const Network& network, const RunOptions& folder, NetworkResult& result) {
  const TemporaryFolder temporary;
  SubjectOptions options = subject_;
  options.calls = temporary / "calls.jsonl";
  const std::vector<size_t> made = write_copies(network, options.calls);
  Subject subject = open_calls(options, source_);
  MeasuredRun run("layers", subject, in_context() ? folder.within("alone") : folder);
  EnergyMeters meters = open_energy_meters(subject, energy_);
  run.record();
  const Works works = works_alone(network, made, run.recording());
  const auto found = run.alone(works.works, meters, alone_, joules_);
  for (size_t w = 0; w < found.size(); ++w) {
    const auto& [layer, buffers] = works.of.at(w);
    LayerAlone& alone = result.layers[layer].alone[buffers];
    alone.error = found[w].error;
    if (!found[w].reading) continue;
    alone.each_s = found[w].reading->each_s;
    alone.each_j = found[w].reading->each_j;
    alone.iterations = found[w].reading->iterations;
  }
  if (in_context()) return;
  result.run = run_header(run.rows());
  result.roof = roof(run);
  result.idle_w = idle_w_in(run.rows());
  if (!energy_.off) result.energy_missing = meters.lack;
  for (LayerResult& layer : result.layers) take_alone(buffers_.front(), layer);
  if (!energy_.off && !result.energy_j() && result.energy_missing.empty())
    result.energy_missing = "the meter told nothing while a layer ran";
}

std::optional<Roof> NetworkRun::roof(MeasuredRun& run) const {
  const nlohmann::json row = run.once("roof", [&] {
    try {
      const Roof roof = measured_roof(subject_, type_);
      return nlohmann::json{{"flop_per_s", roof.flop_per_s}, {"byte_per_s", roof.byte_per_s}};
    } catch (const Error& error) {
      fmt::print(stderr, "kjoule: {}\n", error.line());
      return nlohmann::json{{"error", error.line()}};
    }
  });
  if (row.contains("error")) return {};
  return Roof{row.at("flop_per_s"), row.at("byte_per_s")};
}

Comparison NetworkRun::compared(Subject& subject, MeasuredRun& run) const {
  EnergyMeters meters = open_energy_meters(subject, energy_);
  run.full_and_record();
  run.rounds(rounds_);
  if (!energy_.off) run.energy(meters, joules_);
  KernelRules rules;
  return comparison_of(run.recording(), run.rows(), rules);
}

/// The same, and its report in the folder.
Comparison NetworkRun::reported(Subject& subject, MeasuredRun& run) const {
  Comparison comparison = compared(subject, run);
  write_json(run.folder() / "comparison_report.json",
             comparison_report(comparison, comparison.kernels.size()));
  return comparison;
}

/// The model, run with as many samples as the network.
NetworkCheck NetworkRun::checked(const Network& network, const RunOptions& folder) const {
  SubjectOptions options;
  options.model = check_;
  options.batch = network.batch;
  options.device = subject_.device;
  options.threads = subject_.threads;
  Subject subject = open_recordable_subject(options);
  MeasuredRun run("compare", subject, folder.within("check"));
  const Comparison comparison = compared(subject, run);
  NetworkCheck check{check_, comparison.whole_s, {}};
  if (comparison.energy && comparison.energy->missing.empty()) check.whole_j = comparison.energy->whole_j;
  return check;
}

}  // namespace kjoule
