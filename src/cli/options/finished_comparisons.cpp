#include "cli/options/finished_comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "compare/compare_iteration.hpp"
#include "measure/time/estimate.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

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

FinishedComparison read_finished(const fs::path& folder, const std::string& name, KernelRules& rules) {
  FinishedRun run = read_finished_run(folder);
  if (run.rows.count<Round>() < kFewestRounds)
    throw Error(
        folder.string() + ": the results in this folder contain no times of the kernels in context",
        "kjoule compare -o DIR measures them; kjoule compare --resume DIR completes an interrupted run");
  Comparison comparison = compare_iteration(run.recording, run.rows, rules);
  return {name, std::move(run), std::move(comparison)};
}

/// Returns whether it is the name of the results folder of a part of a run, "phase_1" or "window_1".
bool is_part(const std::string& name) {
  for (const std::string kind : {"phase_", "window_"})
    if (name.starts_with(kind) && name.size() > kind.size())
      return name.find_first_not_of("0123456789", kind.size()) == std::string::npos;
  return false;
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

/// Returns the result of a rank; a rank whose number is not known has the name of its folder.
RankResult rank_result(const FinishedComparison& one) {
  const Comparison& comparison = one.comparison;
  const auto number = comparison.run.find("rank");
  const nlohmann::json device = comparison.run.value("device", nlohmann::json::object());
  return {number == comparison.run.end() ? one.name : "rank " + number->dump(),
          device.value("name", ""),
          device.value("uuid", ""),
          "",
          one.run.recording,
          comparison.times.launch_s,
          observation_in(one.run.rows),
          comparison.times.whole_s,
          comparison.times.sum_s,
          comparison.judgement,
          comparison.energy};
}

}  // namespace

bool has_comparison(const fs::path& folder) {
  return fs::exists(folder / "results.jsonl") && fs::exists(folder / "recording.jsonl");
}

std::vector<FinishedComparison> read_finished_parts(const std::string& folder,
                                                    const std::vector<MeasuredPhase>& parts,
                                                    KernelRules& rules) {
  std::vector<FinishedComparison> finished;
  for (const MeasuredPhase& part : parts) {
    // The name comes from a file, and must not lead to another folder.
    if (!is_part(part.folder))
      throw Error(folder + "/run_report.json: " + part.folder + " is no results folder of a phase or window",
                  "measure again with kjoule compare");
    finished.push_back(read_finished(fs::path(folder) / part.folder, part.folder, rules));
  }
  return finished;
}

void add_ranks(FinishedComparisons& finished) {
  if (!finished.are_of_ranks) return;
  const RowList& rows = finished.iterations.front().run.rows;
  Comparison& first = finished.iterations.front().comparison;
  for (FinishedComparison& one : finished.iterations) {
    first.ranks.push_back(rank_result(one));
    one.name = first.ranks.back().rank;
  }
  if (const auto replayed = rows.first<ReplayedCollectives>()) {
    first.collectives = collective_results(first.ranks, *replayed);
    first.collectives_missing = replayed->error;
  }
  first.watched = rows.first<WatchedRanks>();
}

FinishedComparisons read_finished_comparisons(const std::string& folder, KernelRules& rules) {
  FinishedComparisons all;
  if (has_comparison(folder)) {
    const std::vector<fs::path> ranks = rank_folders(folder);
    all.are_of_ranks = !ranks.empty();
    all.iterations.push_back(read_finished(folder, ranks.empty() ? "" : "first rank", rules));
    for (const fs::path& rank : ranks) {
      std::string name = rank.filename();
      std::ranges::replace(name, '-', ' ');
      all.iterations.push_back(read_finished(rank, name, rules));
    }
  } else {
    for (const fs::path& phase : phase_folders(folder))
      all.iterations.push_back(read_finished(phase, phase.filename(), rules));
  }
  if (all.iterations.empty()) refuse(folder);
  return all;
}

}  // namespace kjoule
