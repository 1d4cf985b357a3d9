#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/meters/steady_loop.hpp"

namespace kjoule {

/// Time, power and clock of a group of launches repeated back to back, from one reading.
struct IsolatedReading {
  /// Time of one execution of the launches, with its 95 % interval. The half-width is infinite if the reading
  /// has only one piece of work (SteadyReading::piece_s).
  Interval each_s;
  std::optional<double> mean_w;  ///< mean power from the first meter; nothing if it reported none
  std::optional<double> clock_hz;
  double read_s = 0;                            ///< duration of the reading
  std::vector<std::string> throttle_reasons{};  ///< reasons for a lowered clock during the reading
  /// Whether the launches were interleaved with the filler, whose time and energy are already subtracted.
  bool with_filler = false;
};

/// Returns time and power of one copy of the launches, from a reading in which each repeat contains `copies`
/// copies.
IsolatedReading isolated_reading(const SteadyReading& reading, int64_t copies);

}  // namespace kjoule
