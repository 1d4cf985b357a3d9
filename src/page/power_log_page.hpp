#pragma once

#include "page/page.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// Returns the page of a power log: its power over time, and the energy of each series.
Page power_log_page(const PowerLog& log);

}  // namespace kjoule
