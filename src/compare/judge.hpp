#pragma once
#include "compare/result.hpp"

namespace kjoule {

/// Returns the verdict: whether the whole is inside the sum's interval. It is inconclusive if the interval is
/// wider than the requested precision, on whichever side of its end the whole is, if the sum lacks kernels,
/// or if more than 20 % of the time belongs to launches that cannot be timed separately.
Judgement judge(const Comparison& comparison);

}  // namespace kjoule
