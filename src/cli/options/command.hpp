#pragma once
// The module cli is the command line. Each command is a class that implements Command, in a file of its own;
// commands() (commands.cpp) lists them, and run_command() parses the arguments and runs one of them. The
// folder options has what several commands share, as structs with declare() (SubjectArguments, RunArguments,
// EnergyArguments, Printed). Commands call the feature modules (run, compare, layers, sampling, prediction)
// and print what the module report returns. Read first: Command, then full.cpp, a short command.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// One kjoule command: its name, its options and its action. A new command needs one new file and one line in
/// commands().
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  virtual std::string help() const = 0;     ///< what the command does, in one line
  virtual std::string example() const = 0;  ///< an example command line
  /// Returns the columns of the tables that the command prints.
  virtual std::vector<TableColumns> tables() const { return {}; }
  virtual void declare(CLI::App& app) = 0;
  /// Receives the words after "--" on the command line. Throws UsageError unless the command measures
  /// programs.
  virtual void take_program(std::vector<std::string> program) {
    throw UsageError(fmt::format("kjoule {} starts no program, but the program {} was given after --", name(),
                                 program.front()),
                     "omit it, or measure it with kjoule compare -- PROGRAM");
  }
  /// Returns how the user continues the command after a WriteError, as a clause that follows "free some
  /// space, then". Empty for commands that keep no measurements and are started again.
  virtual std::string way_on() const { return {}; }
  virtual int run() = 0;  ///< Runs the command and returns its exit code. Throws Error.
};

std::unique_ptr<Command> export_command();
std::unique_ptr<Command> full_command();
std::unique_ptr<Command> compare_command();
std::unique_ptr<Command> isolated_command();
std::unique_ptr<Command> record_command();
std::unique_ptr<Command> import_command();
std::unique_ptr<Command> kernels_command();
std::unique_ptr<Command> layers_command();
std::unique_ptr<Command> energy_command();
std::unique_ptr<Command> sample_command();
std::unique_ptr<Command> collectives_command();
std::unique_ptr<Command> train_command();
std::unique_ptr<Command> predict_command();
std::unique_ptr<Command> report_command();
std::unique_ptr<Command> diff_command();
std::unique_ptr<Command> baseline_command();
std::unique_ptr<Command> doctor_command();
std::unique_ptr<Command> env_command();
std::unique_ptr<Command> completion_command();
std::unique_ptr<Command> manual_command();
std::unique_ptr<Command> power_command();
// The subcommands of sample, predict and power.
std::unique_ptr<Command> power_devices_command();
std::unique_ptr<Command> power_log_command();
std::unique_ptr<Command> power_idle_command();
std::unique_ptr<Command> power_calibrate_command();
std::unique_ptr<Command> power_probe_command();
std::unique_ptr<Command> sample_merge_command();
std::unique_ptr<Command> sample_status_command();
std::unique_ptr<Command> predict_operator_command();
std::unique_ptr<Command> predict_step_command();
std::unique_ptr<Command> predict_model_command();
std::unique_ptr<Command> list_examples_command();
std::unique_ptr<Command> show_example_command();

/// Returns all commands in the order of the help.
std::vector<std::unique_ptr<Command>> commands();
/// Runs the command that the arguments name and returns its exit code. Throws Error for arguments that no
/// command accepts.
int run_command(int argc, char** argv);

}  // namespace kjoule
