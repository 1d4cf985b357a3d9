#pragma once
#include <optional>
#include <string>

#include "compare/changes/baseline.hpp"

namespace kjoule {

/// The difference in time between two starts of an unchanged program.
struct StartShare {
  /// Half-width of the 95 % interval of the difference, as a share of the time; nothing if it is not known.
  std::optional<double> share;
  std::string source;  ///< where `share` comes from, or why it is not known
};

/// Returns the difference between starts for two runs. It comes from the starts of these runs (--starts) if
/// an iteration has at least three starts. Otherwise it comes from bundled_start_spread() on a GPU, is 0 on a
/// simulated device, and is not known on a CPU.
StartShare start_share(const Baseline& before, const Baseline& after);

}  // namespace kjoule
