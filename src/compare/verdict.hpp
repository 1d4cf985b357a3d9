#pragma once
#include "results/timing.hpp"

namespace kjoule {

/// Compares the sum's distance from the whole with the sum's own interval, and the interval with the
/// precision that was asked for. A sum that is outside its interval does not add up, however wide that is;
/// one that is inside a wider interval than asked for proves nothing, and neither does a sum that lacks
/// kernels, or whose kernels cannot be timed apart.
Judgement judge(const Comparison& comparison);

}  // namespace kjoule
