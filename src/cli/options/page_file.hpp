#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "page/page.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Returns the page of a results folder of compare or layers. Throws Error like read_finished_comparisons().
Page results_page(const std::string& folder, KernelRules& rules);

/// The option --html: a file for the page of the results that a command writes or shows.
class PageFile {
 public:
  void declare(CLI::App& app);
  bool is_requested() const { return !file_.empty(); }
  /// Writes the page and names it on stderr. Throws WriteError.
  void write(const Page& page) const;

 private:
  std::string file_;
};

}  // namespace kjoule
