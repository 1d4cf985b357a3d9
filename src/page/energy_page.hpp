#pragma once
#include <vector>

#include "logged/log_energies.hpp"
#include "page/page.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// Returns the page of energies from a power log. `series` are the readings from which they
/// were computed.
Page energy_page(const LogEnergies& energies, const std::vector<const PowerSeries*>& series);

}  // namespace kjoule
