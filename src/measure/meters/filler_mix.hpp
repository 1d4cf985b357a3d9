#pragma once
#include <optional>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// The contents of one repeat: `copies` copies of some work, followed by `times` copies of a filler that
/// consumes little power.
struct FillerMix {
  int copies = 1, times = 1;
};

/// Returns the mix for work of `work_s` seconds and a filler of `filler_s` seconds. In a repeat, the filler
/// takes twice as long as the work. If the sampling rate `sensor_hz` of the meter's sensor is known, the
/// filler may take up to three times as long as the work, to reduce the aliasing error of a mean over
/// `span_s` seconds (aliasing_error()).
FillerMix filler_mix(double work_s, double filler_s, std::optional<Interval> sensor_hz, double span_s);

}  // namespace kjoule
