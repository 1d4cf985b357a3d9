#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/measured_run.hpp"
#include "layers/layer.hpp"
#include "results/network.hpp"

namespace kjoule {

/// Measures networks layer by layer, in context or by themselves, as its options say.
class NetworkRun {
 public:
  void declare(CLI::App& app);
  /// Each throws Error for options that have no effect on what is measured, or as it is.
  void refuse_for_network() const;
  void refuse_for_program() const;
  void refuse_for_pipelines() const;
  void refuse_for_buffers(const RunOptions& runs) const;
  /// Checks and completes what was given. Throws Error.
  void complete_options();
  void complete_options_of_program();
  /// "cpu" or "cuda".
  const std::string& device() const { return subject_.device; }
  /// Throws Error when the model of --check tells other parameters than the network's. One that tells none,
  /// or cannot be opened, is left to measure().
  void check_parameters(const Network& network) const;
  /// In a folder of its own, which it fills. `source` is what the user called the network, `type` that of its
  /// tensors ("Half").
  NetworkResult measure(const Network& network, const std::string& source, const std::string& type,
                        const RunOptions& folder);

  /// The same of a program whose own NVTX ranges are its layers. Throws Error without a GPU.
  NetworkResult measure_program(const std::string& name, const std::vector<std::string>& program,
                                const RunOptions& folder);
  /// Whether the user named a meter: then there must be energies.
  bool energy_asked() const { return energy_.asked(); }
  /// Ranges of this name are the program's iterations.
  void set_range(const std::string& name) { subject_.injection.range = name; }

 private:
  bool in_context() const { return buffers_.front() == "context"; }
  void try_layers(const Network& network);
  void measure_in_context(const Network& network, const RunOptions& folder, NetworkResult& result);
  void measure_alone(const Network& network, const RunOptions& folder, NetworkResult& result);
  /// Calls of the layers that can be made, so many copies of each, and which layer each copy is of.
  std::vector<size_t> write_copies(const Network& network, const std::string& file) const;
  /// What is played alone, and of which layer and with which buffers each is.
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

  SubjectOptions subject_;
  RoundOptions rounds_;
  EnergyOfRun energy_;
  EnergyOptions joules_;
  AloneOptions alone_;
  std::vector<std::string> buffers_{"context"};
  std::string iterations_ = "auto";
  std::string check_;
  Options of_alone_, of_context_, of_networks_, of_iterations_;  ///< options that only these heed
  std::string source_, type_;                                    ///< as measure() was told
  std::map<size_t, std::string> refused_;  ///< why layers of the network cannot be made, by place
};

}  // namespace kjoule
