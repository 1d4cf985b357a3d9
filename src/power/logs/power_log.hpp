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
  std::string gpu{};  ///< the GPU as the log names it: "0", a UUID; empty if the log names no device
  /// The column's name, if a GPU has several series or the series is a part of another one, such as a rail of
  /// a Jetson module; empty for the main one.
  std::string column{};
  MeterLag lag{};  ///< by what is known of the column (lag_of_column())
};

/// The contents of a log file: one series for each meter, in the order of its columns.
struct PowerLog {
  std::string path;
  /// "wattsup", "gpu", "nvidia-smi", "amd-smi" or "csv"; of a TextFormat "nvidia-smi-dmon", "dcgmi",
  /// "tegrastats", "ptdaemon", "turbostat" or "amd-smi"
  std::string format;
  std::vector<PowerSeries> series;
  std::vector<std::string> warnings;  ///< problems such as ignored lines, one line each
};

}  // namespace kjoule
