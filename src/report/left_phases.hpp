#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "recording/chosen_phases.hpp"

namespace kjoule {

/// Returns the numbers of the measured launches of a part, "5..16"; the second one is not included.
std::string launches_text(const PartFacts& facts);

/// Phases of a run that were not replayed, all for the same reason.
struct LeftForAReason {
  std::string why;
  std::vector<PartFacts> phases;  ///< not empty

  /// Returns their GPU time by the profiler, ns.
  int64_t part_ns() const;
  /// Returns their share of the run's GPU time, from 0 to 1.
  double run_share() const;
  /// Returns "2 loops and 1 single pass"; of one phase also its launches.
  std::string text() const;
  /// Returns text() with the GPU time, unless the phases are windows, whose GPU time is not known.
  std::string text_with_time() const;
};

/// Returns the phases grouped by reason; the reason with the most GPU time comes first.
std::vector<LeftForAReason> left_by_reason(const std::vector<LeftPhase>& left);

}  // namespace kjoule
