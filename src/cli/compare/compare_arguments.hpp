#pragma once
#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "cli/compare/comparison_screen.hpp"
#include "cli/compare/timeline_files.hpp"
#include "cli/compare/window_measurement.hpp"
#include "cli/options/effect.hpp"
#include "cli/options/energy_arguments.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/replay_arguments.hpp"
#include "cli/options/rules_option.hpp"
#include "cli/options/run_arguments.hpp"
#include "cli/options/subject_arguments.hpp"
#include "recording/chosen_phases.hpp"

namespace kjoule {

/// The command-line options of `kjoule compare`.
struct CompareArguments {
  SubjectArguments subject;
  Options for_started;  ///< options that have no effect on a program that is already running
  RunArguments run;
  RoundOptions rounds;
  std::string precision = "0.25%";
  std::string within = "1%", energy_within = "5%";
  int starts = 1;
  double search_s = 10;  ///< longest search for a loop, before windows are measured
  FullNamesOption full_names;
  std::optional<int> top;
  bool verbose = false;
  bool check = false;
  bool once = false;
  int energy_phases = 1;
  TimelineFiles timeline;
  PageFile page;
  ReplayArguments replay;
  RulesOption rules;
  EnergyArguments energy;
  Printed printed;

  void declare(CLI::App& app);
  /// Returns the number of kernels in JSON and in the tables of -v.
  size_t most_details() const;
  ComparisonScreen new_screen() const;
  /// Returns the precision and time limit of measuring energy. Throws UsageError if --energy-precision is
  /// wrong.
  EnergyOptions energy_options() const;
  /// Returns the largest differences between sums and wholes with which they add up. Throws UsageError if
  /// --within or --energy-within is wrong.
  RequestedAgreement requested() const;
  /// Returns whether windows are measured if the search finds no loop.
  bool may_measure_windows() const;
  /// Returns the limits for these windows.
  WindowLimits window_limits() const;
  /// Returns the limits for the phases of a program that ends.
  PhaseBudget phase_budget() const;

 private:
  /// Declares the options that control how often kjoule starts the program.
  void declare_starts(CLI::App& app);
};

}  // namespace kjoule
