#include "importers/join_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace kjoule {

namespace {

void refuse_different_iterations(const std::vector<ImportedTable>& tables) {
  std::vector<std::string> numbers;
  for (const ImportedTable& table : tables)
    numbers.push_back(table.iterations.known() ? fmt::format("{}", table.iterations.number) : "unknown");
  if (std::ranges::all_of(numbers, [&](const std::string& number) { return number == numbers.front(); }))
    return;
  throw Error(
      fmt::format("{}: the ranks have different numbers of iterations: {}", tables.front().source,
                  fmt::join(numbers, ", ")),
      "name the ranges that mark them with --annotation NAME, give their number with --iterations N, or "
      "import each rank separately with --rank N");
}

void refuse_different_programs(const std::vector<ImportedTable>& tables) {
  const ImportedTable* first = nullptr;
  for (const ImportedTable& table : tables) {
    if (!table.ranks) continue;
    if (first == nullptr) first = &table;
    if (table.ranks != first->ranks)
      throw Error(fmt::format("{} is of a program of {} ranks, but {} of one of {} ranks", first->source,
                              *first->ranks, table.source, *table.ranks),
                  "import the traces of one run together, and others separately");
  }
}

/// Moves kernels, timeline and warnings of a rank into the joint table.
void add_rank(ImportedTable joined_from, ImportedTable& joint) {
  const size_t before = joint.kernels.size();
  for (ImportedKernel& kernel : joined_from.kernels) {
    kernel.gpu = joined_from.rank;
    joint.kernels.push_back(std::move(kernel));
  }
  for (ImportedActivity activity : joined_from.timeline) {
    activity.kernel += before;
    joint.timeline.push_back(activity);
  }
  for (const std::string& warning : joined_from.warnings)
    joint.warnings.push_back(fmt::format("rank {}: {}", *joined_from.rank, warning));
}

}  // namespace

ImportedTable join_ranks(std::vector<ImportedTable> tables) {
  refuse_different_programs(tables);
  refuse_different_iterations(tables);
  std::ranges::sort(tables, {}, [](const ImportedTable& table) { return *table.rank; });
  ImportedTable joint;
  joint.format = tables.front().format;
  joint.device = tables.front().device;
  joint.iterations = tables.front().iterations;
  std::vector<std::string> sources;
  for (const ImportedTable& table : tables) sources.push_back(table.source);
  joint.source = fmt::format("{}", fmt::join(sources, ", "));
  joint.warnings = {"the kernels of each rank are listed as those of the GPU with the rank's number"};
  for (ImportedTable& table : tables) add_rank(std::move(table), joint);
  std::ranges::stable_sort(joint.timeline, {}, &ImportedActivity::begin_ns);
  return joint;
}

}  // namespace kjoule
