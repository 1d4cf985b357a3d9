#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// The options of `kjoule sample` that write a script of Slurm.
class SlurmArguments {
 public:
  /// Declares the options. `parts` are those that choose a part, which the script does itself.
  void declare(CLI::App& app, const std::vector<CLI::Option*>& parts);

  bool is_requested() const { return !script_.empty(); }
  /// Writes the script, which runs the command line of `app` for each part, and prints how it is submitted.
  /// `sweep` is the name of the sweep, `samples` its number of samples, and `folder` that of its results.
  /// Throws Error if the script cannot be written.
  void write(const CLI::App& app, const std::string& sweep, size_t samples,
             const std::filesystem::path& folder) const;

 private:
  std::vector<std::string> sbatch_options() const;

  std::string script_, time_, account_, partition_;
  std::vector<std::string> more_;
  size_t tasks_ = 1;
  int gpus_ = 0;
};

}  // namespace kjoule
