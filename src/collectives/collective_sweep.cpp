#include "collectives/collective_sweep.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/collective_files.hpp"
#include "collectives/rank_processes.hpp"

namespace kjoule {

namespace {

// nccl-tests has the same numbers of collectives before and in a pass (-w 5 -n 20).
constexpr int kUntimedCollectives = 5, kCollectivesOfPass = 20;

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
  CollectiveFiles files(sweep.folder, row, greeting);
  for (const CollectiveSize& size : sizes) {
    const CollectiveRequest request{sweep.operation,   sweep.precision,     size.part,
                                    sweep.in_place,    kUntimedCollectives, static_cast<int>(kFewestPasses),
                                    kCollectivesOfPass};
    row.size = size;
    row.passes_us =
        mean_over_ranks(ranks.measure(request, fmt::format("{} of {} bytes", sweep.operation, size.bytes)));
    files.add(row);
    take(row);
  }
  ranks.finish();
  return {greeting, ranks.machines(), files.jsonl_path()};
}

}  // namespace kjoule
