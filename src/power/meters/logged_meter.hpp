#pragma once
#include <functional>
#include <memory>
#include <string>

#include "power/meters/meter.hpp"

namespace kjoule {

/// A meter whose readings are also written as lines of a power log (`timestamp,gpu,power_w`, the header
/// first), a counter's as the mean power between the moments at which it moved.
std::unique_ptr<Meter> logged(std::unique_ptr<Meter> meter,
                              std::function<void(const std::string& line)> write);

}  // namespace kjoule
