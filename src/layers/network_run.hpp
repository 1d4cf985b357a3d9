#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compare/result.hpp"
#include "layers/layer.hpp"
#include "layers/network_result.hpp"
#include "run/energy_meters.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// The options for measuring networks.
struct NetworkOptions {
  SubjectOptions subject;  ///< device and threads
  RoundOptions rounds;
  EnergyMeterOptions meters;
  EnergyOptions energy;
  IsolatedWorkOptions alone;
  /// Ways to supply the layers' data. "context": each layer after its real predecessors. "rotate": in
  /// isolation, each copy with inputs and weights of its own. "same": in isolation, always with the same
  /// data. The first way gives the results; the others are reported next to it.
  std::vector<std::string> buffers{"context"};
  /// File of a model of the same network, whose whole is measured, too; may be empty.
  std::string check;
  /// Receives the comparison of a run in context, and the folder of that run.
  std::function<void(const std::filesystem::path& folder, const Comparison& comparison)> report_comparison;

  bool in_context() const { return buffers.front() == "context"; }
};

/// A measurement of networks layer by layer, in context or in isolation.
class NetworkRun {
 public:
  explicit NetworkRun(NetworkOptions options) : options_(std::move(options)) {}

  /// Throws Error if the model of `check` and the network differ in their numbers of parameters. A model that
  /// does not state its number, or cannot be opened, is not an error here; measure() reports it.
  void check_parameters(const Network& network) const;
  /// Measures one network and writes its results folder. `source` is the user's name for the network, `type`
  /// the type of its tensors ("Half").
  NetworkResult measure(const Network& network, const std::string& source, const std::string& type,
                        const RunOptions& folder);
  /// Measures a program whose own NVTX ranges are its layers. Throws Error without a GPU.
  NetworkResult measure_program(const std::string& name, const std::vector<std::string>& program,
                                const RunOptions& folder);

 private:
  void try_layers(const Network& network);
  void measure_in_context(const Network& network, const RunOptions& folder, NetworkResult& result);
  void measure_in_isolation(const Network& network, const RunOptions& folder, NetworkResult& result);
  /// Copies of the layers that can be run: the call of each copy, and the index of its layer.
  struct Copies {
    std::vector<ReplayCall> calls;
    std::vector<size_t> layers;
  };
  Copies make_copies(const Network& network) const;
  /// Work that is measured in isolation; `of` contains the layer and the buffers of each work.
  struct Works {
    std::vector<IsolatedWork> works;
    std::vector<std::pair<size_t, std::string>> of;
  };
  Works make_isolated_works(const Network& network, const std::vector<size_t>& copied_layers,
                            const Recording& recording) const;
  /// Returns the roof of the device; nothing if it could not be measured.
  std::optional<Roof> measure_roof(MeasuredRun& run) const;
  Comparison measure_and_compare(Subject& subject, MeasuredRun& run) const;
  Comparison measure_and_report(Subject& subject, MeasuredRun& run) const;
  NetworkCheck measure_check(const Network& network, const RunOptions& folder) const;

  NetworkOptions options_;
  std::string source_, type_;              ///< the arguments of measure()
  std::map<size_t, std::string> refused_;  ///< why layers of the network cannot be run, by their index
};

}  // namespace kjoule
