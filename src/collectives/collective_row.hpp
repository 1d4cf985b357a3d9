#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collective_energy.hpp"
#include "device/collective_operation.hpp"
#include "device/collective_protocol.hpp"
#include "device/sample_row.hpp"

namespace kjoule {

/// The measurement of a collective with one size on the GPUs of one or several machines.
struct CollectiveRow {
  std::string operation, precision;
  bool in_place = true;
  int gpus = 0;  ///< of all machines together
  CollectiveSize size;
  std::vector<double> passes_us;  ///< time of a collective in each pass, the mean over the ranks
  int machines = 1;               ///< each with the same number of GPUs
  bool graph = false;             ///< whether the collectives of a pass were a CUDA graph
  std::optional<CollectiveEnergy> energy = {};  ///< if it was asked for

  MedianOfPasses time_us() const { return median_of_passes(passes_us); }
  /// Returns the size divided by the median time, bytes/s.
  double algorithm_bandwidth() const;
  /// Returns algorithm_bandwidth() times the factor of nccl-tests for the operation and the number of ranks.
  double bus_bandwidth() const;
  /// Returns the number that tables of collectives state as the size ("shape").
  int64_t table_shape() const;
};

/// Returns the mean of the times over the ranks that take part in the operation, for each pass. Throws Error
/// if these ranks have different numbers of passes.
std::vector<double> mean_over_ranks(const std::vector<CollectivePasses>& ranks,
                                    const CollectiveOperation& operation);

/// Returns the row as a line of the JSONL.
nlohmann::ordered_json to_json(const CollectiveRow& row, const RankGreeting& greeting);

}  // namespace kjoule
