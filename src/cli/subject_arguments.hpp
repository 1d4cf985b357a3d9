#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/effect.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Command-line options that say what to measure, and where.
struct SubjectArguments : SubjectOptions {
  std::string iterations;            ///< text of --iterations
  Options for_models, for_programs;  ///< options as declared, to know which were given

  void declare(CLI::App& app);
  /// Declares only the options that concern programs.
  void declare_program(CLI::App& app);
  /// Declares only a model that supplies operators and shapes, and how it is run: for commands that measure
  /// none.
  void declare_lender(CLI::App& app);

  /// Returns the text of --iterations and forgets it: it describes a file then, not the program.
  std::string take_iterations();

  /// Reads --iterations and returns the options. Throws UsageError for an option that has no effect on what
  /// is measured.
  const SubjectOptions& checked();

 private:
  std::vector<CLI::Option*> declare_inputs(CLI::App& app);
};

}  // namespace kjoule
