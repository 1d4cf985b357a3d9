#pragma once
#include <optional>
#include <string>

#include "compare/baseline.hpp"

namespace kjoule {

/// By how much the time of an unchanged program differs between two of its starts.
struct StartShare {
  /// Half-width of the 95 % interval of the difference, as a share of the time; nothing if it is not known.
  std::optional<double> share;
  std::string source;  ///< where it comes from, or why it is not known
};

/// Returns the spread between the starts of two runs: from their other starts (--starts) if there are at
/// least three starts, on a GPU otherwise from the tuning programs (bundled_start_spread()). A simulated
/// device has none.
StartShare start_share(const Baseline& before, const Baseline& after);

}  // namespace kjoule
