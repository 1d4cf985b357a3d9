#pragma once
#include <memory>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Returns a meter that a separate thread reads continuously, so that readings are on time even if the caller
/// is busy. The next read() rethrows exceptions of that thread.
std::unique_ptr<Meter> make_polled_meter(std::unique_ptr<Meter> meter);

}  // namespace kjoule
