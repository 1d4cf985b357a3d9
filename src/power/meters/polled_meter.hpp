#pragma once
#include <memory>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Returns a meter that a separate thread reads continuously, so that no reading is late because the caller
/// is busy. If reading throws in that thread, the next read() rethrows the exception. The pause between two
/// polls is at least `least_pause_s` seconds.
std::unique_ptr<Meter> make_polled_meter(std::unique_ptr<Meter> meter, double least_pause_s = 0);

}  // namespace kjoule
