#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/iteration/energy_result.hpp"
#include "compare/iteration/verdict.hpp"
#include "device/observation.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// The comparison of sum and whole of one rank, in a program with several ranks.
struct RankResult {
  std::string rank;    ///< "rank 1", or "process 1234" if the rank's number is not known
  std::string gpu;     ///< name of its GPU
  std::string uuid;    ///< UUID of its GPU
  std::string folder;  ///< folder of its results
  Recording recording;
  std::vector<double> launch_s;     ///< time in context of each launch
  std::optional<Observation> seen;  ///< the iteration as the rank ran it; nothing if it is not known
  Interval whole_s, sum_s;
  Judgement judgement;
  /// Energies of sum and whole, collectives and waiting included; nothing if no energy was requested, or if
  /// the meter measures the whole machine: it then belongs to the first rank.
  std::optional<EnergyResult> energy{};
  double error() const { return sum_s.value / whole_s.value - 1; }
};

}  // namespace kjoule
