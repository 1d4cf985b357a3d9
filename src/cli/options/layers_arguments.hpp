#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "cli/options/energy_arguments.hpp"
#include "cli/options/run_arguments.hpp"
#include "cli/options/subject_arguments.hpp"
#include "layers/network_run.hpp"

namespace kjoule {

/// Command-line options of measuring a network, or a program whose NVTX ranges are its layers.
class LayersArguments {
 public:
  void declare(CLI::App& app);
  /// Uses the value of --iterations as that of --iters. For programs, --iterations names launches instead.
  void take_iterations();
  /// Throw UsageError for options that have no effect on the given subject or measurement. Of --runs,
  /// --warmup and --gpu 0, which scripts pass in any case, they only print a warning.
  void refuse_for_network();
  void refuse_for_program() const;
  void refuse_for_pipelines() const;
  void refuse_for_buffers(const RunArguments& runs) const;
  /// Return the checked and completed options for a network, a program, or pipelines whose iterations the
  /// NVTX range `iteration` marks. Throw Error for wrong values.
  NetworkOptions for_network();
  NetworkOptions for_program(const std::vector<std::string>& program);
  NetworkOptions for_pipelines(const std::string& iteration);
  /// Returns whether the user named a meter. If so, missing energies are an error.
  bool energy_asked() const { return energy_.asked(); }

 private:
  NetworkOptions completed();

  NetworkOptions options_;
  SubjectArguments subject_;
  EnergyArguments energy_;
  std::string iterations_;  ///< runs of a layer in one reading; empty or auto: as many as a reading needs
  const char* iterations_option_ = "--iters";
  const CLI::Option* unroll_option_ = nullptr;
  /// Options that have an effect only in isolation, in context, on networks, and on the choice of a program's
  /// iteration.
  Options of_alone_, of_context_, of_networks_, of_iterations_;
};

}  // namespace kjoule
