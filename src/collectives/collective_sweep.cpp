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

/// Measures the energies of timed rows. The meters are opened only now, because their requests to the driver
/// may delay launches.
void add_energies(const CollectiveSweep& sweep, RankProcesses& ranks, std::vector<CollectiveRow>& timed,
                  const std::function<void(const CollectiveRow&)>& add) {
  CollectiveMeters meters(ranks, *sweep.energy);
  for (CollectiveRow& row : timed) {
    prepare(sweep, row.size, ranks);
    row.energy = meters.read(1e-6 * row.time_us().value);
    add(row);
  }
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
  CollectiveRow row{sweep.operation, sweep.precision, sweep.in_place, ranks.size(), {}, {}};
  row.machines = ranks.machines();
  row.graph = sweep.graph;
  if (sweep.energy) row.energy.emplace();
  CollectiveFiles files(sweep.folder, row, greeting);
  const auto add = [&](const CollectiveRow& complete) {
    files.add(complete);
    take(complete);
  };
  std::vector<CollectiveRow> timed;
  for (const CollectiveSize& size : sizes) {
    row.size = size;
    prepare(sweep, size, ranks);
    row.passes_us = mean_over_ranks(ranks.measure());
    if (sweep.energy)
      timed.push_back(row);
    else
      add(row);
  }
  if (sweep.energy) add_energies(sweep, ranks, timed, add);
  ranks.finish();
  return {greeting, ranks.machines(), files.jsonl_path()};
}

}  // namespace kjoule
