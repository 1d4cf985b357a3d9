#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "power/meter_lag.hpp"

namespace kjoule {

/// The readings of one meter or device, sorted by time.
struct PowerSeries {
  struct Sample {
    int64_t unix_ns = 0;  ///< wall-clock time
    double watts = 0;
  };
  std::string name;  ///< "pm1", "gpu 0"
  std::vector<Sample> samples;
  std::string gpu{};     ///< the GPU as the log names it: "0", a UUID; empty if the log names no device
  std::string column{};  ///< of a GPU with several series: the column's name; empty for its main one
  MeterLag lag{};        ///< by what is known of the column (lag_of_column())
};

/// The contents of a log file: one series for each meter, in the order of its columns.
struct PowerLog {
  std::string path;
  std::string format;  ///< "wattsup", "gpu", "nvidia-smi" or "csv"
  std::vector<PowerSeries> series;
  std::vector<std::string> warnings;  ///< problems such as ignored lines, one line each
};

}  // namespace kjoule
