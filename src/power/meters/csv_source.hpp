#pragma once
#include <memory>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Returns the source for a CSV file with a header line that another program is writing (`options.csv`). Each
/// column of power is a meter; if a column names the GPU of each line, each GPU is a meter. Lines that were
/// written before the meter was opened are ignored.
std::unique_ptr<PowerSource> csv_source(const PowerSourceOptions& options);

}  // namespace kjoule
