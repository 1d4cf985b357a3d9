#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// A CSV file that another program is writing: `places.csv`, with a header line. Each of its columns of power
/// is a meter; where a column tells which GPU a line belongs to, each GPU is one. Lines from before the
/// opening are left.
std::unique_ptr<PowerSource> csv_source(const PowerPlaces& places);

}  // namespace kjoule
