#include "collectives/collective_row.hpp"

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "collectives/rank_processes.hpp"

namespace kjoule {

namespace {

void add_energy(const CollectiveEnergy& energy, nlohmann::ordered_json& json) {
  const bool is_known = energy.missing.empty();
  const Interval joules = is_known ? energy.joules() : Interval{};
  const auto or_null = [&](double value) { return is_known ? nlohmann::json(value) : nlohmann::json(); };
  json["joules"] = or_null(joules.value);
  json["joules_low"] = or_null(joules.value - joules.half_width);
  json["joules_high"] = or_null(joules.value + joules.half_width);
  json["joules_of_gpus"] = energy.gpus_j;
  json["energy_time_us"] = or_null(energy.time_us);
  json["meter"] = energy.meter;
  json["energy_missing"] = energy.missing;
}

}  // namespace

double CollectiveRow::algorithm_bandwidth() const {
  return static_cast<double>(size.bytes) / (1e-6 * time_us().value);
}

double CollectiveRow::bus_bandwidth() const {
  return algorithm_bandwidth() * collective_operation(operation).bus_factor(gpus);
}

int64_t CollectiveRow::table_shape() const {
  return collective_operation(operation).states_part ? size.part : size.all;
}

std::vector<double> mean_over_ranks(const std::vector<CollectivePasses>& ranks,
                                    const CollectiveOperation& operation) {
  std::vector<double> sums(ranks.at(0).us.size());
  const int all = static_cast<int>(ranks.size());
  int taking_part = 0;
  for (int rank = 0; rank < all; ++rank) {
    if (!operation.takes_part(rank, all)) continue;
    const std::vector<double>& us = ranks[static_cast<size_t>(rank)].us;
    if (us.size() != sums.size()) throw Error("ranks have different numbers of passes", kBugRemedy);
    for (size_t pass = 0; pass < sums.size(); ++pass) sums[pass] += us[pass];
    ++taking_part;
  }
  for (double& sum : sums) sum /= taking_part;
  return sums;
}

nlohmann::ordered_json to_json(const CollectiveRow& row, const RankGreeting& greeting) {
  const MedianOfPasses time = row.time_us();
  nlohmann::ordered_json json{{"operation", row.operation},
                              {"precision", row.precision},
                              {"in_place", row.in_place},
                              {"graph", row.graph},
                              {"nodes", row.machines},
                              {"gpus_per_node", row.gpus / row.machines},
                              {"bytes", row.size.bytes},
                              {"elements", row.size.all},
                              {"time_us", time.value},
                              {"time_low_us", time.low},
                              {"time_high_us", time.high},
                              {"algorithm_bytes_per_s", row.algorithm_bandwidth()},
                              {"bus_bytes_per_s", row.bus_bandwidth()},
                              {"passes_us", row.passes_us},
                              {"gpu", greeting.gpu_name},
                              {"nccl", nccl_version_text(greeting.nccl)},
                              {"stand_in", greeting.stand_in}};
  if (row.energy) add_energy(*row.energy, json);
  return json;
}

}  // namespace kjoule
