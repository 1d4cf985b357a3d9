#include "cli/options/baseline_source.hpp"

#include <filesystem>

#include "cli/options/finished_comparisons.hpp"
#include "layers/baseline_layers.hpp"

namespace kjoule {

namespace fs = std::filesystem;

Baseline baseline_of_folder(const std::string& folder) {
  KernelRules rules;
  const FinishedComparisons finished = read_finished_comparisons(folder, rules);
  const Comparison& first = finished.iterations.front().comparison;
  Baseline baseline = describe_baseline(first.run, first.program_iterations);
  for (const FinishedComparison& one : finished.iterations) {
    BaselineIteration& iteration =
        baseline.iterations.emplace_back(baseline_iteration(one.run.recording, one.comparison));
    iteration.phase = one.name;
    iteration.is_of_rank = finished.are_of_ranks;
  }
  if (const fs::path layers = fs::path(folder) / "layers.json"; fs::exists(layers))
    baseline.layers = read_baseline_layers(layers);
  return baseline;
}

Baseline read_baseline_source(const std::string& path) {
  return fs::is_regular_file(path) ? read_baseline(path) : baseline_of_folder(path);
}

}  // namespace kjoule
