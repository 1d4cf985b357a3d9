#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compare/result.hpp"
#include "layers/layer.hpp"
#include "layers/measured_network.hpp"
#include "run/energy_meters.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// How networks are measured.
struct NetworkOptions {
  SubjectOptions subject;  ///< device and threads
  RoundOptions rounds;
  EnergyMeterOptions meters;
  EnergyOptions energy;
  AloneOptions alone;
  /// "context": each layer after its real predecessors; "rotate": in isolation, each copy with inputs and
  /// weights of its own; "same": in isolation, always the same. The first one gives the results, the others
  /// are reported next to it.
  std::vector<std::string> buffers{"context"};
  std::string check;  ///< file of a model of the same network, whose whole is measured, too; may be empty
  /// Receives the comparison of a run in context, and the folder of that run.
  std::function<void(const std::filesystem::path& folder, const Comparison& comparison)> report_comparison;

  bool in_context() const { return buffers.front() == "context"; }
};

/// Measures networks layer by layer, in context or in isolation.
class NetworkRun {
 public:
  explicit NetworkRun(NetworkOptions options) : options_(std::move(options)) {}

  /// Throws Error when the model of `check` has another number of parameters than the network. A model that
  /// states none, or cannot be opened, is left to measure().
  void check_parameters(const Network& network) const;
  /// Measures one network and fills its folder. `source` is what the user called the network, `type` that of
  /// its tensors ("Half").
  NetworkResult measure(const Network& network, const std::string& source, const std::string& type,
                        const RunOptions& folder);
  /// Measures a program whose own NVTX ranges are its layers. Throws Error without a GPU.
  NetworkResult measure_program(const std::string& name, const std::vector<std::string>& program,
                                const RunOptions& folder);

 private:
  void try_layers(const Network& network);
  void measure_in_context(const Network& network, const RunOptions& folder, NetworkResult& result);
  void measure_alone(const Network& network, const RunOptions& folder, NetworkResult& result);
  /// Calls of the layers that can be made, so many copies of each, and which layer each copy is of.
  struct Copies {
    std::vector<ReplayCall> calls;
    std::vector<size_t> made;
  };
  Copies copies(const Network& network) const;
  /// Work that is measured in isolation; for each work its layer and buffers.
  struct Works {
    std::vector<AloneWork> works;
    std::vector<std::pair<size_t, std::string>> of;
  };
  Works works_alone(const Network& network, const std::vector<size_t>& made,
                    const Recording& recording) const;
  /// What the device does at most; nothing where that could not be measured.
  std::optional<Roof> roof(MeasuredRun& run) const;
  Comparison compared(Subject& subject, MeasuredRun& run) const;
  Comparison reported(Subject& subject, MeasuredRun& run) const;
  NetworkCheck checked(const Network& network, const RunOptions& folder) const;

  NetworkOptions options_;
  std::string source_, type_;              ///< as measure() was called
  std::map<size_t, std::string> refused_;  ///< why layers of the network cannot be made, by place
};

}  // namespace kjoule
