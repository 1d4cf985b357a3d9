#pragma once
#include <memory>

#include "power/logs/log_lines.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// Returns a meter that also passes its readings to `write`, as lines of a power log, first the header:
/// `timestamp,gpu,power_w` for a GPU, `time,id,pm1,pm2,sum` for a sum of meters at the socket, and otherwise
/// `timestamp,NAME_w`. Readings of an energy counter are logged as the mean power between the moments at
/// which the counter changed, at the middle between them.
std::unique_ptr<Meter> make_logged_meter(std::unique_ptr<Meter> meter, WriteLine write);

}  // namespace kjoule
