#include "layers/network_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "compare/compare_iteration.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "layers/fill_network_result.hpp"
#include "layers/range_layers.hpp"
#include "recording/call_ranges.hpp"
#include "run/measured_roof.hpp"
#include "run/tried_calls.hpp"

namespace kjoule {

namespace {

/// Number of bytes, above the size of caches, that the copies of a layer read and write in total.
/// IsolatedWorkOptions::unroll limits the number of copies.
constexpr int64_t kTouchedByCopies = int64_t{96} << 20;

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
  try_layers(network);
  NetworkResult result = describe_network(network, refused_);
  result.buffers = options_.buffers.front();
  if (options_.in_context()) measure_in_context(network, folder, result);
  if (!options_.in_context() || options_.buffers.size() > 1) measure_in_isolation(network, folder, result);
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

/// Tries every layer once. For a layer that cannot be run, the result has the error; the other layers are
/// measured.
void NetworkRun::try_layers(const Network& network) {
  std::vector<ReplayCall> calls;
  for (const Layer& layer : network.layers) calls.emplace_back(layer.call);
  refused_ = tried_calls(RestartedRunner(runner_place(options_.subject)), calls, *make_progress());
  if (refused_.size() == calls.size())
    throw Error(fmt::format("{}: none of its layers can be run; the first of them, {}: {}", source_,
                            network.layers.front().name, refused_.begin()->second));
}

void NetworkRun::measure_in_context(const Network& network, const RunOptions& folder, NetworkResult& result) {
  std::vector<ReplayCall> calls;
  std::vector<size_t> measured_layers;
  for (size_t i = 0; i < network.layers.size(); ++i)
    if (!refused_.contains(i)) {
      measured_layers.push_back(i);
      calls.emplace_back(network.layers[i].call);
    }
  Subject subject = open_calls(options_.subject, std::move(calls), source_);
  MeasuredRun run("layers", subject, folder);
  const Comparison comparison = measure_and_report(subject, run);
  result.roof = measure_roof(run);
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
    const auto copies =
        rotates ? static_cast<size_t>(std::clamp<int64_t>(fill, 1, options_.alone.unroll)) : 1;
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

void NetworkRun::measure_in_isolation(const Network& network, const RunOptions& folder,
                                      NetworkResult& result) {
  const auto [calls, copied_layers] = make_copies(network);
  Subject subject = open_calls(options_.subject, calls, source_);
  MeasuredRun run("layers", subject, options_.in_context() ? folder.within("isolated") : folder);
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
  result.roof = measure_roof(run);
  result.idle_w = idle_w_in(run.rows());
  if (!options_.meters.off) result.energy_missing = meters.lack;
  for (LayerResult& layer : result.layers) use_isolated_results(options_.buffers.front(), layer);
  if (!options_.meters.off && !result.energy_j() && result.energy_missing.empty())
    result.energy_missing = "the meter gave no reading while a layer ran";
}

std::optional<Roof> NetworkRun::measure_roof(MeasuredRun& run) const {
  return run
      .once<MeasuredRoof>([&]() -> MeasuredRoof {
        try {
          return {measured_roof(options_.subject, type_), ""};
        } catch (const WriteError&) {
          throw;
        } catch (const Error& error) {
          print_error("kjoule: {}\n", error.line());
          return {{}, error.line()};
        }
      })
      .roof;
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

/// Measures the model NetworkOptions::check with the batch size of the network.
NetworkCheck NetworkRun::measure_check(const Network& network, const RunOptions& folder) const {
  SubjectOptions options;
  options.model = options_.check;
  options.batch = network.batch;
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
