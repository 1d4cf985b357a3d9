#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "cli/options/file_options.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// The option --rules. Rules in the user's file take precedence over kjoule's own rules for tiers and
/// categories.
class RulesOption {
 public:
  void declare(CLI::App& app) {
    input_file(app.add_option(
        "--rules", file_,
        "file with additional rules for the kernels' tiers and categories (docs/reference/formats.md)"));
  }
  /// Returns the rules. Throws Error when the file cannot be read.
  KernelRules read() const { return file_.empty() ? KernelRules() : KernelRules::with(file_); }

 private:
  std::string file_;
};

}  // namespace kjoule
