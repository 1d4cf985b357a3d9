#include "collectives/collective_sweep.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/collective_energy.hpp"
#include "collectives/collective_files.hpp"
#include "collectives/rank_processes.hpp"

namespace kjoule {

namespace {

// nccl-tests has the same numbers of collectives before and in a pass (-w 5 -n 20).
constexpr int kUntimedCollectives = 5, kCollectivesOfPass = 20;

void prepare(const CollectiveSweep& sweep, const CollectiveSize& size, RankProcesses& ranks) {
  ranks.prepare({sweep.operation, sweep.precision, size.part, sweep.in_place, kUntimedCollectives,
                 static_cast<int>(kFewestPasses), kCollectivesOfPass, sweep.graph},
                fmt::format("{} of {} bytes", sweep.operation, size.bytes));
}

/// Returns the row of a sweep that has no size and no time yet.
CollectiveRow empty_row(const CollectiveSweep& sweep, const RankProcesses& ranks) {
  CollectiveRow row{sweep.operation, sweep.precision, sweep.in_place, ranks.size(), {}, {}};
  row.machines = ranks.machines();
  row.graph = sweep.graph;
  if (sweep.energy)
    row.energy.emplace().missing = "the measurement ended before the energy of this size was measured";
  return row;
}

}  // namespace

std::vector<CollectiveSize> sizes_of(const CollectiveSweep& sweep) {
  const CollectiveOperation& operation = collective_operation(sweep.operation);
  std::vector<CollectiveSize> sizes;
  for (int64_t bytes = sweep.from_bytes; bytes <= sweep.to_bytes; bytes *= 2) {
    const auto size = collective_size(operation, sweep.precision, sweep.ranks(), bytes);
    if (size.part > 0) sizes.push_back(size);
  }
  if (sizes.empty())
    throw UsageError(fmt::format("there is no size from {} to {} bytes that {} can have", sweep.from_bytes,
                                 sweep.to_bytes, operation.name),
                     "choose other sizes with --from and --to");
  return sizes;
}

CollectiveSweepResult measure_collectives(const CollectiveSweep& sweep,
                                          const std::function<void(const CollectiveRow&)>& take) {
  const std::vector<CollectiveSize> sizes = sizes_of(sweep);
  RankProcesses ranks(sweep.place ? connect_ranks(*sweep.place, sweep.time_limit_s) : start_ranks(sweep.gpus),
                      sweep.time_limit_s);
  const RankGreeting& greeting = ranks.greetings().front();
  const CollectiveOperation& operation = collective_operation(sweep.operation);
  const CollectiveRow empty = empty_row(sweep, ranks);
  const CollectiveFiles files(sweep.folder, empty, greeting);
  std::optional<CollectiveMeters> meters;
  if (sweep.energy) meters.emplace(ranks, *sweep.energy);
  std::vector<CollectiveRow> rows;
  for (const CollectiveSize& size : sizes) {
    prepare(sweep, size, ranks);
    rows.push_back(empty);
    rows.back().size = size;
    rows.back().passes_us = mean_over_ranks(ranks.measure(), operation);
    files.write(rows);
    if (!meters) take(rows.back());
  }
  // Reading the meters may delay launches, so it begins after all sizes were timed.
  for (size_t r = 0; meters && r < rows.size(); ++r) {
    prepare(sweep, rows[r].size, ranks);
    rows[r].energy = meters->read(operation, 1e-6 * rows[r].time_us().value);
    files.write(rows);
    take(rows[r]);
  }
  ranks.finish();
  return {greeting, ranks.machines(), files.jsonl_path()};
}

}  // namespace kjoule
