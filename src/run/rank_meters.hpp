#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/energy_meters.hpp"

namespace kjoule {

/// The meters of a program's ranks, which are read at the same times.
struct RankMeters {
  EnergyMeters all;  ///< the meters of the first rank, then those of the second one, and so on
  /// For each meter of `all`, the index of its rank in Ranks::ranks(); nothing for a meter that
  /// measures the whole machine, and with it all ranks.
  std::vector<std::optional<size_t>> ranks;

  /// Returns the indices of the meters of a rank. A meter of the whole machine belongs to the first rank.
  std::vector<size_t> of_rank(size_t rank) const;
  bool measure_the_machine() const { return !ranks.empty() && !ranks.front(); }
};

/// Opens the meters that the options ask for, for the GPU of each rank: without a named source, the GPU's own
/// counter and power samples. A meter of the whole machine is opened once. If a GPU has no meter, the result
/// has none, and `all.lack` is the reason. Throws Error if a named source is not available, or names one GPU
/// only.
RankMeters open_rank_meters(Subject& subject, const EnergyMeterOptions& options);

/// A rank in messages ("rank 0"), and the UUID of its GPU.
struct RankGpu {
  std::string name, uuid;
};
/// Like open_rank_meters() for ranks whose GPUs are known.
RankMeters open_rank_meters(const std::vector<RankGpu>& gpus, const EnergyMeterOptions& options);

}  // namespace kjoule
