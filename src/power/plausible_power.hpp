#pragma once
#include <string>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The highest power of a single GPU that is taken for W unless the user states the unit. The largest GPU
/// modules consume 1.4 kW.
constexpr double kMostOfOneGpu_w = 2000;

/// Returns whether a device of this scope can consume this power: at most 10 kW for one GPU, and 200 kW for
/// everything else, which is more than a full rack consumes. A higher value is in another unit or an error.
bool is_plausible(double watts, Scope scope);
/// Returns why the power is not plausible, such as "300000 W, which no GPU consumes".
std::string describe_implausible(double watts, Scope scope);

}  // namespace kjoule
