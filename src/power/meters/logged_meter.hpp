#pragma once
#include <memory>

#include "power/logs/log_lines.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// Returns a meter that also passes its readings to `write` as lines of a power log, beginning with the
/// header: `timestamp,gpu,power_w` for a GPU, `time,id,pm1,pm2,sum` for a sum of meters at the socket, and
/// otherwise `timestamp,NAME_w`. An energy counter is logged as the mean power between two of its changes,
/// with the time in the middle between them.
std::unique_ptr<Meter> make_logged_meter(std::unique_ptr<Meter> meter, WriteLine write);

}  // namespace kjoule
