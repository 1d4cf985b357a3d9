#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collective_row.hpp"
#include "collectives/group_place.hpp"
#include "device/collective_protocol.hpp"

namespace kjoule {

/// The sizes of one collective that are measured, each twice as large as the one before.
struct CollectiveSweep {
  std::string operation = "all_reduce", precision = "fp16";
  bool in_place = true;
  bool graph = false;  ///< whether collectives are repeated as CUDA graphs
  int64_t from_bytes = 4096, to_bytes = int64_t{256} << 20;
  std::vector<int> gpus;  ///< numbers of the GPUs of this machine, by rank; empty with a place
  /// The place of this process, which is rank 0, in a group that torchrun or srun started.
  std::optional<GroupPlace> place;
  double time_limit_s = 60;  ///< of each step of a rank
  std::filesystem::path folder = ".";
  std::optional<EnergyMeterOptions> energy = {};  ///< the meters, if energy is measured

  int ranks() const { return place ? place->ranks : static_cast<int>(gpus.size()); }
};

/// Returns the sizes of a sweep. Throws UsageError if there is none.
std::vector<CollectiveSize> sizes_of(const CollectiveSweep& sweep);

/// What was measured, apart from the rows.
struct CollectiveSweepResult {
  RankGreeting greeting;
  int machines = 1;
  std::filesystem::path jsonl;
};

/// Measures the sizes of a sweep: first all times, and with a meter then all energies. Writes the rows after
/// each of these measurements, and calls `take` with each complete row.
/// Throws the errors of sizes_of(), RankProcesses and CollectiveFiles.
CollectiveSweepResult measure_collectives(const CollectiveSweep& sweep,
                                          const std::function<void(const CollectiveRow&)>& take);

}  // namespace kjoule
