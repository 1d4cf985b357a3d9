#pragma once
#include <memory>

#include "power/meters/meter.hpp"

namespace kjoule {

/// A meter that a thread of its own reads all the time, so that none of its readings is late because the one
/// who asks for them was busy. What the thread meets is thrown by the next read().
std::unique_ptr<Meter> polled(std::unique_ptr<Meter> meter);

}  // namespace kjoule
