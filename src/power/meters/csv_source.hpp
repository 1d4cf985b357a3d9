#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source for a CSV file that another program is writing (the file `options.csv`), with a header
/// line. Each column of power is a meter or, if a column names the GPU of each line, each GPU. Lines from
/// before the opening are ignored.
std::unique_ptr<PowerSource> csv_source(const PowerSourceOptions& options);

}  // namespace kjoule
