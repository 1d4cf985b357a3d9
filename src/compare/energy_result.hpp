#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/energy_estimate.hpp"

namespace kjoule {

/// The energy of one kernel per iteration, all of its launches together.
struct KernelJoules {
  /// Measured energy. A kernel whose group has other kernels gets a part of the group's energy, in proportion
  /// to its time in context.
  Interval joules;
  double seconds = 0;       ///< time of the kernel during the energy readings
  double attributed_j = 0;  ///< attributed energy: scaled so that all kernels add up to the whole
  size_t together = 1;      ///< number of kernels that were measured in the same readings
  /// Returns the mean power; nothing if the kernel's time is 0.
  std::optional<double> watts() const {
    return seconds > 0 ? std::optional(joules.value / seconds) : std::nullopt;
  }
};

/// Facts of a meter, and the energy of the whole as it measured it.
struct MeterResult {
  nlohmann::json facts;  ///< source, name, scope, quantity, averaging_s, resolution
  std::optional<Interval> whole_j;
};

/// The energy of the sum over kernels, compared with the whole. Intervals cover scatter and the method, not
/// the accuracy of the meter.
struct EnergyResult {
  std::string missing;  ///< why no energy is available; empty if it is
  /// All values are 0 if `missing` is not empty. They come from the first meter.
  EnergyEstimate estimate;
  /// Energy and mean power of the program's own iteration, launch gaps included, while the program ran by
  /// itself; not available if it did so too briefly, or its GPU has no energy counter.
  std::optional<Interval> own_j, own_w;
  std::vector<MeterResult> meters;  ///< the first meter, and others for comparison
  std::optional<double> idle_w;     ///< idle power, while the program is paused
  int blocks = 0;
  double seconds = 0;              ///< measuring time
  std::string stopped;             ///< "precision" or "time limit"
  double requested_within = 0;     ///< how far the sum may be from the whole, as a share
  std::vector<std::string> notes;  ///< differences between meters or clocks, throttle reasons
  double error() const { return estimate.sum_j.value / estimate.whole_j.value - 1; }
  /// Return the energy above idle power, of the program's own iteration and of the whole; nothing if one of
  /// them was not measured.
  std::optional<double> own_net_j() const {
    if (!own_j || !idle_w) return {};
    return own_j->value - *idle_w * own_j->value / own_w->value;
  }
  std::optional<double> whole_net_j() const {
    return idle_w ? std::optional(estimate.whole_j.value - *idle_w * estimate.whole_s.value) : std::nullopt;
  }
};

}  // namespace kjoule
