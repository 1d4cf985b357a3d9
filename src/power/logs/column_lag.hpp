#pragma once
#include "power/logs/log_columns.hpp"
#include "power/meter_lag.hpp"

namespace kjoule {

/// Returns the lag of the readings in a column of a log, by what is known of the column's source:
///
/// - WattsUp meters: means over one second;
/// - nvidia-smi's `power.draw` and `power.draw.average`, and a GPU's power in a column of another name, which
///   loggers read from the same place: means over one second on GPUs from Ampere on;
/// - nvidia-smi's `power.draw.instant`: at most 0.1 s;
/// - other columns: not known. Each reading is taken for the mean since the reading before it.
///
/// `interval_s` is the time between two readings.
MeterLag lag_of_column(const LogColumns& columns, const LogColumns::Value& value, double interval_s);

}  // namespace kjoule
