#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/slurm_job_arguments.hpp"

namespace kjoule {

/// The options of `kjoule sample` that write a script of Slurm.
class SlurmArguments {
 public:
  /// Declares the options. `parts` are those that choose a part, which the script does itself.
  void declare(CLI::App& app, const std::vector<CLI::Option*>& parts);

  bool is_requested() const { return job_.is_requested(); }
  /// Writes the script, which runs the command line of `app` for each part, and prints how it is submitted.
  /// `sweep` is the name of the sweep, `samples` its number of samples, and `folder` that of its results.
  /// Throws Error if the script cannot be written.
  void write(const CLI::App& app, const std::string& sweep, size_t samples,
             const std::filesystem::path& folder) const;

 private:
  SlurmJobArguments job_;
  size_t tasks_ = 1;
  int gpus_ = 0;
};

}  // namespace kjoule
