#include "cli/options/page_file.hpp"

#include <filesystem>
#include <vector>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/finished_comparisons.hpp"
#include "page/comparison_page.hpp"

namespace kjoule {

size_t write_page(const std::string& folder, const std::string& file, KernelRules& rules) {
  FinishedComparisons finished = read_finished_comparisons(folder, rules);
  add_ranks(finished);
  std::vector<PageIteration> iterations;
  for (const FinishedComparison& one : finished.iterations)
    iterations.push_back({one.name, &one.run.recording, &one.run.rows, &one.comparison});
  const std::string page = comparison_page(iterations);
  write_named(file, page);
  return page.size();
}

void PageFile::declare(CLI::App& app) {
  output_file(
      app.add_option("--html", file_,
                     "file for a page (HTML) of the results, which a browser opens without a network; an "
                     "older page is replaced"),
      kPageOutput);
}

void PageFile::write(const std::string& folder, KernelRules& rules) const {
  if (file_.empty()) return;
  write_page(folder, file_, rules);
  print_error("page in {}\n", file_);
}

}  // namespace kjoule
