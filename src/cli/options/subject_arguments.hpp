#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/options/effect.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Command-line options that select the measured program or model, and its device.
struct SubjectArguments : SubjectOptions {
  std::string iterations;  ///< text of --iterations
  /// Declared options that have an effect only on models, and only on programs.
  Options for_models, for_programs;
  Options of_inputs;  ///< of these, the options of a model's inputs

  void declare(CLI::App& app);
  /// Also declares the option for the models of other ranks, for commands that measure ranks.
  void declare_other_ranks(CLI::App& app);
  /// Declares only the options for programs.
  void declare_program(CLI::App& app);
  /// Declares only the options for a model that supplies operators and shapes, for commands that do not
  /// measure models.
  void declare_lender(CLI::App& app);

  /// Returns the text of --iterations and clears it, for commands in which the option describes a file
  /// instead of the program.
  std::string take_iterations();

  /// Throws UsageError for an option with which a program's iteration is searched. `where` says why there is
  /// no search. --iterations, --gpu and --rank are accepted, because they also choose a part of a file.
  void refuse_search(const std::string& where) const;

  /// Returns whether an option selects an iteration of a program.
  bool selects_iteration() const {
    return !iterations.empty() || !injection.nvtx_range.empty() || injection.skip_iterations > 0;
  }

  /// With --run-recorded, lets the user confirm the program or model of the recording, and sets it. Throws
  /// Error if the user does not confirm.
  void take_recorded_code();

  /// Accepts --gpu 0 for a model or network, which runs on the first visible GPU anyway. If it runs on the
  /// CPU, prints a warning that the option has no effect.
  void accept_first_gpu();

  /// Calls take_recorded_code(), parses --iterations and returns the options. Throws UsageError for an option
  /// that has no effect on the measured program or model.
  const SubjectOptions& checked();

 private:
  std::vector<CLI::Option*> declare_inputs(CLI::App& app);
  void declare_recording(CLI::App& app);
  void declare_attach(CLI::App& app);

  const CLI::Option* loop_seconds_ = nullptr;
  Options of_search_;  ///< --range, --skip-iterations and --loop-seconds
  bool run_recorded_ = false, yes_ = false;
};

}  // namespace kjoule
