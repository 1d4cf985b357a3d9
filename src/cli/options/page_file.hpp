#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Writes the page of a results folder of compare to `file`, and returns its size in bytes. Throws Error like
/// read_finished_comparisons(), and WriteError.
size_t write_page(const std::string& folder, const std::string& file, KernelRules& rules);

/// The option --html: a file for the page of the results that a command writes.
class PageFile {
 public:
  void declare(CLI::App& app);
  /// Writes the page of the results in the folder, if the option was given, and names it on stderr.
  void write(const std::string& folder, KernelRules& rules) const;

 private:
  std::string file_;
};

}  // namespace kjoule
