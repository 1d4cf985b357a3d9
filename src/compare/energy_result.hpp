#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.hpp"

namespace kjoule {

/// The energy of one kernel, all of its launches in an iteration together.
struct KernelJoules {
  Interval joules;     ///< measured; of a kernel that shared its readings its part of them by time in context
  double seconds = 0;  ///< between the same readings
  double attributed_j = 0;  ///< scaled so that all kernels add up to the whole
  size_t together = 1;      ///< kernels that were measured in the same readings
  /// Nothing of a kernel whose time came out as zero: it has no power.
  std::optional<double> watts() const {
    return seconds > 0 ? std::optional(joules.value / seconds) : std::nullopt;
  }
};

/// What a meter is, and what it says of the whole.
struct MeterResult {
  nlohmann::json facts;  ///< source, name, scope, quantity, averaging_s, resolution
  std::optional<Interval> whole_j;
};

/// Sum of kernels against the whole, in joules. Intervals hold what scatters, not the meter's own accuracy.
struct EnergyResult {
  std::string missing;  ///< why there is no number; empty when there are
  Interval whole_j, sum_j;
  Interval whole_w, sum_w;
  double whole_s = 0;  ///< of one iteration, among the readings
  double sum_s = 0;    ///< of the kernels, between the same readings
  double added_s = 0;  ///< what the kernels add to the iterations that they are measured in
  double put_back_j = 0, put_back_s = 0;
  std::vector<MeterResult> meters;  ///< the first one gave all else
  std::optional<double> whole_clock_hz, kernels_clock_hz;
  std::optional<double> coldest_c, warmest_c;
  std::optional<double> idle_w;  ///< of the device held, nothing running
  int blocks = 0;
  double seconds = 0;  ///< of measuring
  std::string stopped;
  std::vector<std::string> notes;  ///< what a reader must know: meters that disagree, clocks, a power limit
  double error() const { return sum_j.value / whole_j.value - 1; }
};

}  // namespace kjoule
