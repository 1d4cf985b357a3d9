#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

#include "cli/options/slurm_job_arguments.hpp"

namespace kjoule {

/// The options of `kjoule collectives` that write a script of Slurm.
class SlurmGroupArguments {
 public:
  /// Declares the options. `gpus` chooses GPUs of this machine, which the script does not use.
  void declare(CLI::App& app, CLI::Option* gpus);

  bool is_requested() const { return job_.is_requested(); }
  /// Returns the number of ranks: one for each GPU of all nodes.
  int ranks() const { return nodes_ * gpus_per_node_; }
  /// Writes the script, which runs the command line of `app` on all GPUs, and prints how it is submitted.
  /// `folder` is that of the results. Throws Error if the script cannot be written.
  void write(const CLI::App& app, const std::string& operation, const std::filesystem::path& folder) const;

 private:
  SlurmJobArguments job_;
  int nodes_ = 1, gpus_per_node_ = 1;
};

}  // namespace kjoule
