#pragma once
#include <optional>

namespace kjoule {

/// What a repeat plays: some work so often, and then a filler, which draws little, so often.
struct FillerMix {
  int copies = 1, times = 1;
};

/// For work of which one takes `work_s` and a filler of `filler_s`: twice as long filler as work, or up to
/// three times where that brings repeats out of step with a meter that looks at the power `looks_hz` times a
/// second for `span_s` (see error_in_step).
FillerMix filler_mix(double work_s, double filler_s, std::optional<double> looks_hz, double span_s);
/// How many of each_s make least_s: from 1 to `most`, which it is where each_s is not known.
int so_often(double least_s, double each_s, int most);

}  // namespace kjoule
