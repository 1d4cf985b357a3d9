#pragma once
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "sampling/slurm_script.hpp"

namespace kjoule {

/// The options that all commands share that write a script of Slurm. They are in a group of their own in the
/// help, and are not passed on to the command that the script runs.
class SlurmJobArguments {
 public:
  /// Declares --slurm-script, whose help is `script_help`, and --time, whose help is `time_help`.
  void declare(CLI::App& app, const std::string& script_help, const std::string& time_help);
  /// Declares --account, --partition and --sbatch.
  void declare_others(CLI::App& app);
  /// Declares that an option belongs to the script, and needs it. Returns the option.
  CLI::Option* add(CLI::Option* option) const;

  CLI::Option* script_option() const { return script_option_; }
  const std::string& script() const { return script_; }
  bool is_requested() const { return !script_.empty(); }

  /// Returns what the script for the command line of `app` has, apart from what its kind adds. The script
  /// itself sets `own` options of sbatch; UsageError is thrown if --sbatch names one of them, whose remedy
  /// says that `instead` shape the script.
  SlurmScript script_of(const CLI::App& app, const std::string& job, const std::filesystem::path& output,
                        const std::vector<std::string>& own, const std::string& instead) const;

 private:
  std::string script_, time_, account_, partition_;
  std::vector<std::string> more_;
  CLI::Option* script_option_ = nullptr;
};

}  // namespace kjoule
