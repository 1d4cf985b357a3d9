#include "cli/options/page_file.hpp"

#include <cstring>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/finished_comparisons.hpp"
#include "layers/stored_network.hpp"
#include "page/comparison_page.hpp"
#include "page/network_page.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// Most phases and windows whose kernels and timelines are on the page of a run.
constexpr size_t kMostShownParts = 6;

/// Returns the networks of a folder of layers, or of its subfolders in the order of their names and of the
/// numbers in these; none if another command wrote it.
std::vector<NetworkResult> read_networks(const fs::path& folder) {
  if (fs::exists(folder / "layers.json")) return {read_network_result(folder / "layers.json")};
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / "layers.json")) files.push_back(entry.path() / "layers.json");
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;  // N2 before N16
  });
  std::vector<NetworkResult> networks;
  for (const fs::path& file : files) networks.push_back(read_network_result(file));
  return networks;
}

std::vector<PageIteration> iterations_of(const std::vector<FinishedComparison>& finished) {
  std::vector<PageIteration> iterations;
  for (const FinishedComparison& one : finished)
    iterations.push_back({one.name, &one.run.recording, &one.run.rows, &one.comparison});
  return iterations;
}

/// Returns the phases and windows whose kernels and timelines are on the page of a run: the first ones.
std::vector<MeasuredPhase> shown_parts(const StoredRun& run) {
  std::vector<MeasuredPhase> parts = run.replayed.measured;
  if (parts.size() > kMostShownParts) parts.resize(kMostShownParts);
  return parts;
}

/// Returns the page of a run that was measured in phases or windows. If a loop was measured before the
/// windows, its results are in the run's own folder.
Page page_of_run(const std::string& folder, const StoredRun& run, KernelRules& rules) {
  std::vector<FinishedComparison> finished;
  if (has_comparison(folder)) {
    finished = std::move(read_finished_comparisons(folder, rules).iterations);
    finished.front().name = "loop";
  }
  for (FinishedComparison& part : read_finished_parts(folder, shown_parts(run), rules))
    finished.push_back(std::move(part));
  return run_page(run, iterations_of(finished));
}

}  // namespace

Page results_page(const std::string& folder, KernelRules& rules) {
  const std::vector<NetworkResult> networks = read_networks(folder);
  if (networks.size() > 1) return network_page(networks, {});
  if (!networks.empty() && !networks.front().against_whole) return network_page(networks, {});
  if (const auto run = read_stored_run(fs::path(folder) / "run_report.json"))
    return page_of_run(folder, *run, rules);
  FinishedComparisons finished = read_finished_comparisons(folder, rules);
  add_ranks(finished);
  const std::vector<PageIteration> iterations = iterations_of(finished.iterations);
  return networks.empty() ? comparison_page(iterations) : network_page(networks, iterations);
}

void PageFile::declare(CLI::App& app) {
  output_file(
      app.add_option("--html", file_,
                     "file for a page (HTML) of the results, which a browser opens without a network; an "
                     "older page is replaced"),
      kPageOutput);
}

void PageFile::write(const Page& page) const {
  write_named(file_, page_html(page));
  print_error("page in {}\n", file_);
}

}  // namespace kjoule
