#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "layers/expected_cost.hpp"
#include "layers/layer.hpp"
#include "layers/network_result.hpp"
#include "run/energy_meters.hpp"
#include "run/measured_roof.hpp"
#include "run/measured_run.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// The options for measuring networks.
struct NetworkOptions {
  SubjectOptions subject;  ///< device and threads
  RoundOptions rounds;
  EnergyMeterOptions meters;
  EnergyOptions energy;
  IsolatedWorkOptions alone;
  /// The conditions in which layers are measured:
  /// - "context": each layer after its predecessors in the network;
  /// - "rotate": in isolation, each copy with its own inputs and weights;
  /// - "same": in isolation, always with the same data.
  /// The first entry gives the results; those of the others are reported in addition.
  std::vector<std::string> buffers{"context"};
  /// File of a model of the same network, whose whole is measured for comparison; empty if there is none.
  std::string check;
  /// Is called with the folder and the comparison of a run in context.
  std::function<void(const std::filesystem::path& folder, const Comparison& comparison)> report_comparison;

  bool in_context() const { return buffers.front() == "context"; }
};

/// A measurement of networks layer by layer, in context or in isolation.
class NetworkRun {
 public:
  explicit NetworkRun(NetworkOptions options) : options_(std::move(options)) {}

  /// Throws Error if the network needs more memory than is available. Not checked on a GPU.
  void check_memory(const Network& network) const;
  /// Throws Error if the model of `check` has another number of parameters than the network. Throws no Error
  /// if the model does not state its number of parameters, or if it cannot be opened, which measure()
  /// reports.
  void check_parameters(const Network& network) const;
  /// Measures one network and writes its results folder. `source` is the name or path that the user gave for
  /// the network, `type` the type of its tensors ("Half").
  NetworkResult measure(const Network& network, const std::string& source, const std::string& type,
                        const RunOptions& folder);
  /// Measures a program whose NVTX ranges are its layers. Throws Error if there is no GPU.
  NetworkResult measure_program(const std::string& name, const std::vector<std::string>& program,
                                const RunOptions& folder);

 private:
  bool on_cpu() const { return options_.subject.device == "cpu"; }
  void run_layers_once(const Network& network, const RunOptions& folder, RestartedRunner runner);
  void warn_if_long(const Network& network, const ExpectedIteration& iteration) const;
  void measure_in_context(const Network& network, const RunOptions& folder, FileLock claimed,
                          NetworkResult& result);
  void measure_in_isolation(const Network& network, const RunOptions& folder, FileLock claimed,
                            NetworkResult& result);
  /// Copies of the layers that can be run: for each copy its call, and the index of its layer.
  struct Copies {
    std::vector<ReplayCall> calls;
    std::vector<size_t> layers;
  };
  Copies make_copies(const Network& network) const;
  /// The calls that are measured in isolation. `of[i]` names the layer of works[i] by its index, and the data
  /// that its repeats use by an entry of NetworkOptions::buffers.
  struct Works {
    std::vector<IsolatedWork> works;
    std::vector<std::pair<size_t, std::string>> of;
  };
  Works make_isolated_works(const Network& network, const std::vector<size_t>& copied_layers,
                            const Recording& recording) const;
  Comparison measure_and_compare(Subject& subject, MeasuredRun& run) const;
  Comparison measure_and_report(Subject& subject, MeasuredRun& run) const;
  NetworkCheck measure_check(const Network& network, const RunOptions& folder) const;

  NetworkOptions options_;
  std::string source_, type_;                  ///< arguments of measure()
  std::map<size_t, std::string> refused_;      ///< reasons why layers cannot be run, by index of the layer
  MeasuredRoof roof_;                          ///< roof of the device
  std::map<std::string, MeasuredRoof> roofs_;  ///< roofs that were measured, by the type of the tensors
};

}  // namespace kjoule
