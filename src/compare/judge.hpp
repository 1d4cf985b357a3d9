#pragma once
#include "compare/result.hpp"

namespace kjoule {

/// Compares the sum's distance from the whole with the sum's own interval, and the interval with the
/// precision that was asked for. Nothing follows from an interval wider than that, on whichever side of its
/// end the whole is, nor from a sum that lacks kernels or whose kernels cannot be timed apart.
Judgement judge(const Comparison& comparison);

}  // namespace kjoule
