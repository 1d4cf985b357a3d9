#include "cli/options/baseline_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "compare/compare_iteration.hpp"
#include "layers/baseline_layers.hpp"
#include "measure/time/estimate.hpp"
#include "run/finished_run.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

bool has_comparison(const fs::path& folder) {
  return fs::exists(folder / "results.jsonl") && fs::exists(folder / "recording.jsonl");
}

/// Returns the folders of a run's measured phases, in the order of their numbers.
std::vector<fs::path> phase_folders(const fs::path& folder) {
  std::vector<fs::path> phases;
  for (int number = 1; has_comparison(folder / fmt::format("phase_{}", number)); ++number)
    phases.push_back(folder / fmt::format("phase_{}", number));
  return phases;
}

/// Returns the results folders of a program's ranks other than the first, which are in its own, in the order
/// of their numbers.
std::vector<fs::path> rank_folders(const fs::path& folder) {
  std::vector<std::pair<long, fs::path>> ranks;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool is_of_rank = name.starts_with("rank-") || name.starts_with("process-");
    if (is_of_rank && entry.is_directory() && has_comparison(entry.path()))
      ranks.emplace_back(std::strtol(name.c_str() + name.find('-') + 1, nullptr, 10), entry.path());
  }
  std::ranges::sort(ranks);
  std::vector<fs::path> folders;
  for (const auto& [number, path] : ranks) folders.push_back(path);
  return folders;
}

/// Adds the comparison in the folder as one more iteration. The first comparison also supplies the facts of
/// the run.
void add_comparison(Baseline& baseline, const fs::path& folder, const std::string& phase) {
  const FinishedRun run = read_finished_run(folder);
  if (run.rows.count<Round>() < kFewestRounds)
    throw Error(
        folder.string() + ": the results in this folder contain no times of the kernels in context",
        "kjoule compare -o DIR measures them; kjoule compare --resume DIR completes an interrupted run");
  KernelRules rules;
  const Comparison comparison = compare_iteration(run.recording, run.rows, rules);
  if (baseline.iterations.empty())
    baseline = describe_baseline(comparison.run, comparison.program_iterations);
  baseline.iterations.push_back(baseline_iteration(run.recording, comparison));
  baseline.iterations.back().phase = phase;
}

/// Throws Error with the reason why the folder has no comparison.
[[noreturn]] void refuse(const fs::path& folder) {
  if (!fs::exists(folder))
    throw Error(folder.string() + ": no such file or folder",
                "give a results folder, which kjoule compare -o DIR writes");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && has_comparison(entry.path()))
      throw Error(folder.string() + ": this folder contains several results folders",
                  "name one of them, such as " + entry.path().string());
  throw Error(folder.string() + ": this folder contains no results of a comparison",
              "give a results folder, which kjoule compare -o DIR writes");
}

}  // namespace

Baseline baseline_of_folder(const std::string& folder) {
  Baseline baseline;
  if (has_comparison(folder)) {
    const std::vector<fs::path> ranks = rank_folders(folder);
    add_comparison(baseline, folder, ranks.empty() ? "" : "first rank");
    for (const fs::path& rank : ranks) {
      std::string name = rank.filename();
      std::ranges::replace(name, '-', ' ');
      add_comparison(baseline, rank, name);
    }
    for (BaselineIteration& iteration : baseline.iterations) iteration.is_of_rank = !ranks.empty();
  } else {
    for (const fs::path& phase : phase_folders(folder)) add_comparison(baseline, phase, phase.filename());
  }
  if (baseline.iterations.empty()) refuse(folder);
  if (const fs::path layers = fs::path(folder) / "layers.json"; fs::exists(layers))
    baseline.layers = read_baseline_layers(layers);
  return baseline;
}

Baseline read_baseline_source(const std::string& path) {
  return fs::is_regular_file(path) ? read_baseline(path) : baseline_of_folder(path);
}

}  // namespace kjoule
