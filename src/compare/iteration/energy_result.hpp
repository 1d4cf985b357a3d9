#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/energy_estimate.hpp"

namespace kjoule {

/// Facts of a meter, and the energy of the whole that it measured.
struct MeterResult {
  nlohmann::json facts;  ///< source, name, scope, quantity, averaging_s, resolution
  std::optional<Interval> whole_j;
};

/// The energies of the sum over kernels and of the whole. Intervals include scatter and errors of the method,
/// but not the accuracy of the meter.
struct EnergyResult {
  std::string missing;  ///< why no energy is available; empty if energy is available
  /// Energy of the whole, if only that of the sum is missing; otherwise nothing.
  std::optional<WholeEnergy> whole{};
  /// All values are 0 if `missing` is not empty. They come from the first meter.
  EnergyEstimate estimate;
  /// Energy and mean power of the program's own iteration, launch gaps included, before the program was
  /// paused. Not available if the program ran too briefly before the pause, or if its GPU has no energy
  /// counter.
  std::optional<Interval> own_j, own_w;
  std::vector<MeterResult> meters;  ///< the first meter gives the results; all others are for comparison
  std::optional<double> idle_w;     ///< idle power, while the program is paused
  int blocks = 0;
  double seconds = 0;              ///< measuring time
  std::string stopped;             ///< "precision" or "time limit"
  double requested_within = 0;     ///< largest requested difference of the sum from the whole, as a share
  std::vector<std::string> notes;  ///< sentences about differences between meters or clocks, and throttling
  double error() const { return estimate.sum_j.value / estimate.whole_j.value - 1; }
  /// Return the energy of the program's own iteration (own_net_j()) or of the whole (whole_net_j()) minus the
  /// energy of the idle power in the same time, J. Return nothing if one of the two energies was not
  /// measured.
  std::optional<double> own_net_j() const {
    if (!own_j || !idle_w) return {};
    return own_j->value - *idle_w * own_j->value / own_w->value;
  }
  std::optional<double> whole_net_j() const {
    return idle_w ? std::optional(estimate.whole_j.value - *idle_w * estimate.whole_s.value) : std::nullopt;
  }
};

}  // namespace kjoule
