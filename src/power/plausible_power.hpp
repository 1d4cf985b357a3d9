#pragma once
#include <string>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Returns whether something of this scope can draw that power: up to 10 kW for one GPU, and up to 200 kW for
/// everything else, which is more than a full rack draws. More is a number in another unit, or a defect.
bool is_plausible(double watts, Scope scope);
/// Returns why the power is not plausible, such as "300000 W, which no GPU draws".
std::string describe_implausible(double watts, Scope scope);

}  // namespace kjoule
