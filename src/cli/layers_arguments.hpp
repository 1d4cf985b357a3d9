#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "cli/energy_arguments.hpp"
#include "cli/run_arguments.hpp"
#include "cli/subject_arguments.hpp"
#include "layers/network_run.hpp"

namespace kjoule {

/// Command-line options of measuring a network, or a program whose ranges are its layers.
class LayersArguments {
 public:
  void declare(CLI::App& app);
  /// Each throws UsageError for options that have no effect on what is measured, or on how it is measured.
  void refuse_for_network() const;
  void refuse_for_program() const;
  void refuse_for_pipelines() const;
  void refuse_for_buffers(const RunArguments& runs) const;
  /// Returns the checked and completed options of a network, and those of a program. Throws Error.
  NetworkOptions for_network();
  NetworkOptions for_program();
  /// Ranges of this name are the program's iterations.
  void set_range(const std::string& name) { subject_.injection.range = name; }
  /// Whether the user named a meter: then there must be energies.
  bool energy_asked() const { return energy_.asked(); }

 private:
  NetworkOptions options_;
  SubjectArguments subject_;
  EnergyArguments energy_;
  std::string iterations_ = "auto";
  Options of_alone_, of_context_, of_networks_, of_iterations_;  ///< options that only these use
};

}  // namespace kjoule
