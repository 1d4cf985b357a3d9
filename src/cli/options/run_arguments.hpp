#pragma once
#include <CLI/CLI.hpp>

#include "run/results_folder.hpp"

namespace kjoule {

/// Command-line options of a run: its folder, and the number of timed iterations of the program.
struct RunArguments : RunOptions {
  const CLI::Option *warmup_option = nullptr, *runs_option = nullptr;

  /// Declares -o and --resume, or only -o for a run that cannot be resumed.
  void declare_folder(CLI::App& app);
  CLI::Option* declare_output(CLI::App& app);
  void declare_runs(CLI::App& app);
  void declare_items(CLI::App& app);
  /// Returns whether --warmup or --runs was given.
  bool asks_for_runs() const { return warmup_option->count() + runs_option->count() > 0; }
};

}  // namespace kjoule
