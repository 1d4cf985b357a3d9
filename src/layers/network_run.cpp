#include "layers/network_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/files/machine_load.hpp"
#include "base/process/terminal.hpp"
#include "compare/compare_iteration.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "layers/fill_network_result.hpp"
#include "layers/first_runs.hpp"
#include "layers/range_layers.hpp"
#include "recording/call_ranges.hpp"

namespace kjoule {

namespace {

/// Number of bytes, above the size of caches, that the copies of a layer read and write in total.
/// IsolatedWorkOptions::unroll limits the number of copies.
constexpr int64_t kTouchedByCopies = int64_t{96} << 20;

/// Returns the least number of copies, from `fill` on, that divides the number of runs in a graph. So a graph
/// has as many runs as requested.
size_t copies_in_graph(int64_t fill, int64_t unroll) {
  int64_t copies = std::clamp<int64_t>(fill, 1, unroll);
  while (unroll % copies != 0) ++copies;
  return static_cast<size_t>(copies);
}

/// Returns the call with its own input instead of the output of the previous layer.
OperatorCall without_previous(OperatorCall call) {
  for (nlohmann::json& argument : call.arguments)
    if (argument.is_object() && argument.contains("tensor")) argument.at("tensor").erase("previous");
  return call;
}

/// Sets the layer's results to its values in isolation, for networks that are not measured in context.
void use_isolated_results(const std::string& buffers, LayerResult& layer) {
  const IsolatedLayer& alone = layer.isolated[buffers];
  layer.each_s = alone.each_s;
  layer.each_j = alone.each_j;
  if (!layer.error.empty() || alone.each_s) return;
  layer.error = alone.error.empty() ? "launched nothing" : alone.error;
}

}  // namespace

NetworkResult NetworkRun::measure(const Network& network, const std::string& source, const std::string& type,
                                  const RunOptions& folder) {
  source_ = source;
  type_ = type;
  RestartedRunner runner(runner_place(options_.subject));
  if (folder.resume.empty()) runner.ready();  // throws before older results are moved aside
  FileLock claimed = folder.claim();
  run_layers_once(network, folder, std::move(runner));
  NetworkResult result = describe_network(network, refused_);
  result.buffers = options_.buffers.front();
  result.roof = roof_.roof;
  result.roof_missing = roof_.error;
  if (!options_.in_context()) {
    measure_in_isolation(network, folder, std::move(claimed), result);
  } else {
    measure_in_context(network, folder, std::move(claimed), result);
    const RunOptions isolated = folder.within("isolated");
    if (options_.buffers.size() > 1) measure_in_isolation(network, isolated, isolated.claim(), result);
  }
  if (!options_.check.empty()) result.check = measure_check(network, folder);
  return result;
}

NetworkResult NetworkRun::measure_program(const std::string& name, const std::vector<std::string>& program,
                                          const RunOptions& folder) {
  SubjectOptions options = options_.subject;
  options.program = program;
  Subject subject = open_recordable_subject(options);
  MeasuredRun run("layers", subject, folder);
  const Comparison comparison = measure_and_report(subject, run);
  return layers_of_ranges(name, options.injection.nvtx_range, run.recording(), comparison);
}

void NetworkRun::check_memory(const Network& network) const {
  if (!on_cpu()) return;
  if (const auto available = available_memory_bytes()) refuse_too_large(network, *available);
}

void NetworkRun::check_parameters(const Network& network) const {
  if (options_.check.empty()) return;
  SubjectOptions options;
  options.model = options_.check;
  options.device = options_.subject.device;
  need_model_file(options);
  nlohmann::json parameters;
  try {
    parameters = RestartedRunner(runner_place(options))
                     .ready()
                     .describe(model_work(options))
                     .value("metadata", nlohmann::json::object())
                     .value("parameters", nlohmann::json());
  } catch (const Error&) {  // measure() reports it
    return;
  }
  if (parameters.is_number_integer() && parameters.get<int64_t>() != network.parameters())
    throw Error(fmt::format("--check {}: this model has {} parameters, but the network {} has {}",
                            options_.check, parameters.get<int64_t>(), network.name, network.parameters()),
                "export the same network, or correct its sizes (--size)");
}

void NetworkRun::warn_if_long(const Network& network, const ExpectedIteration& iteration) const {
  if (!on_cpu() || !options_.in_context()) return;
  if (const std::string text = long_measurement_text(network, iteration); !text.empty())
    print_error("{}\n", text);
}

/// Runs every layer once. For a layer that cannot be run, the result has the error; the other layers are
/// measured.
void NetworkRun::run_layers_once(const Network& network, const RunOptions& folder, RestartedRunner runner) {
  FirstRuns first(network, options_.subject, source_, std::move(runner), folder.within("first_runs"));
  roof_ = first.roof(type_, roofs_);
  if (roof_.roof) warn_if_long(network, {least_iteration_s(network, *roof_.roof), true});
  first.run(roof_.roof);
  warn_if_long(network, {first.iteration_s(), false});
  refused_ = first.refused();
  if (refused_.size() == network.layers.size())
    throw Error(fmt::format("{}: none of its layers can be run; the first of them, {}: {}", source_,
                            network.layers.front().name, refused_.begin()->second),
                "correct the layer, or choose another --device or --dtype");
}

void NetworkRun::measure_in_context(const Network& network, const RunOptions& folder, FileLock claimed,
                                    NetworkResult& result) {
  std::vector<ReplayCall> calls;
  std::vector<size_t> measured_layers;
  for (size_t i = 0; i < network.layers.size(); ++i)
    if (!refused_.contains(i)) {
      measured_layers.push_back(i);
      calls.emplace_back(network.layers[i].call);
    }
  Subject subject = open_calls(options_.subject, std::move(calls), source_);
  MeasuredRun run("layers", subject, folder, std::move(claimed));
  const Comparison comparison = measure_and_report(subject, run);
  set_results_in_context(network, measured_layers, run.recording(), comparison, result);
}

NetworkRun::Copies NetworkRun::make_copies(const Network& network) const {
  const bool rotates =
      std::find(options_.buffers.begin(), options_.buffers.end(), "rotate") != options_.buffers.end();
  Copies all;
  for (const size_t place : distinct_layers(network)) {
    if (refused_.contains(place)) continue;
    const Layer& layer = network.layers[place];
    const int64_t fill =
        (kTouchedByCopies + std::max<int64_t>(1, layer.bytes) - 1) / std::max<int64_t>(1, layer.bytes);
    const auto copies = rotates ? copies_in_graph(fill, options_.alone.unroll) : 1;
    all.layers.insert(all.layers.end(), copies, place);
    all.calls.insert(all.calls.end(), copies, without_previous(layer.call));
  }
  return all;
}

NetworkRun::Works NetworkRun::make_isolated_works(const Network& network,
                                                  const std::vector<size_t>& copied_layers,
                                                  const Recording& recording) const {
  std::vector<size_t> numbers(copied_layers.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  const auto launches = launches_of_calls(recording, numbers);
  const std::vector<size_t> layers = distinct_layers(network);
  Works works;
  for (size_t l = 0; l < layers.size(); ++l)
    for (const std::string& buffers : options_.buffers) {
      if (buffers == "context") continue;
      IsolatedWork work{fmt::format("{} {}", buffers, network.layers[layers[l]].name), {}};
      for (size_t n = 0; n < copied_layers.size(); ++n)
        if (copied_layers[n] == layers[l] && launches.contains(n) &&
            (buffers == "rotate" || work.copies.empty()))
          work.copies.push_back(launches.at(n));
      if (work.copies.empty()) continue;
      works.works.push_back(std::move(work));
      works.of.emplace_back(l, buffers);
    }
  return works;
}

void NetworkRun::measure_in_isolation(const Network& network, const RunOptions& folder, FileLock claimed,
                                      NetworkResult& result) {
  const auto [calls, copied_layers] = make_copies(network);
  Subject subject = open_calls(options_.subject, calls, source_);
  MeasuredRun run("layers", subject, folder, std::move(claimed));
  EnergyMeters meters = open_energy_meters(subject, options_.meters);
  run.record();
  const Works works = make_isolated_works(network, copied_layers, run.recording());
  const auto found = run.measure_works(works.works, meters, options_.alone, options_.energy);
  for (size_t w = 0; w < found.size(); ++w) {
    const auto& [layer, buffers] = works.of.at(w);
    IsolatedLayer& alone = result.layers[layer].isolated[buffers];
    alone.error = found[w].error;
    if (!found[w].reading) continue;
    alone.each_s = found[w].reading->each_s;
    alone.each_j = found[w].reading->each_j;
    alone.iterations = found[w].reading->iterations;
  }
  if (options_.in_context()) return;
  result.run = run_header(run.rows());
  result.idle_w = idle_w_in(run.rows());
  if (!options_.meters.off) result.energy_missing = meters.lack;
  for (LayerResult& layer : result.layers) use_isolated_results(options_.buffers.front(), layer);
  if (!options_.meters.off && !result.energy_j() && result.energy_missing.empty())
    result.energy_missing = "the meter gave no reading while a layer ran";
}

Comparison NetworkRun::measure_and_compare(Subject& subject, MeasuredRun& run) const {
  EnergyMeters meters = open_energy_meters(subject, options_.meters);
  run.time_and_record();
  run.rounds(options_.rounds);
  if (!options_.meters.off) run.energy(meters, options_.energy);
  KernelRules rules;
  return compare_iteration(run.recording(), run.rows(), rules);
}

Comparison NetworkRun::measure_and_report(Subject& subject, MeasuredRun& run) const {
  Comparison comparison = measure_and_compare(subject, run);
  if (options_.report_comparison) options_.report_comparison(run.folder(), comparison);
  return comparison;
}

/// Measures the model NetworkOptions::check with the batch size of the network. Each of its operators is
/// executed by itself, as in the layers.
NetworkCheck NetworkRun::measure_check(const Network& network, const RunOptions& folder) const {
  SubjectOptions options;
  options.model = options_.check;
  options.batch = network.batch;
  options.fuses_operators = false;
  options.device = options_.subject.device;
  options.threads = options_.subject.threads;
  Subject subject = open_recordable_subject(options);
  MeasuredRun run("compare", subject, folder.within("check"));
  const Comparison comparison = measure_and_compare(subject, run);
  NetworkCheck check{options_.check, comparison.times.whole_s, {}};
  if (comparison.energy && comparison.energy->missing.empty())
    check.whole_j = comparison.energy->estimate.whole_j;
  return check;
}

}  // namespace kjoule
