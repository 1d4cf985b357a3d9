#pragma once
#include <filesystem>
#include <string>

#include "base/process/progress.hpp"
#include "measure/sensor/sensor_probe.hpp"
#include "power/sensor_rate.hpp"
#include "run/energy_meters.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// What a probe found out about the power sensor of a board, and the meter that it read.
struct ProbedBoard {
  SensorProbe probe;
  MeterFacts meter;
  SensorRate rate;
};

/// Opens the load of a probe: matrix products on the first visible GPU (`device` is "cuda"), or the program
/// of a simulated device. Throws UsageError for other devices, and Error without a GPU or cuBLAS.
Subject open_probe_load(const std::string& device);

/// Probes the sensor with this load, and stores its rate in the file `path`. Throws Error if no meter of the
/// board is found, and as probe_sensor() and store_sensor_rate() do.
ProbedBoard probe_board(Subject& load, const EnergyMeterOptions& options, const std::filesystem::path& path,
                        Progress& progress);

/// Stores that the probe of a GPU's sensor failed, so that probe_unknown_board() does not repeat it.
void note_failed_probe(const std::filesystem::path& path, const Subject& load, const Error& failure);

/// Runs `kjoule power probe` for the GPU that the meters read, if its sensor was never probed: once for a
/// board, for half a minute. A probe that fails is a warning, and is not repeated the next time; the report
/// then says that the sampling rate is not known.
void probe_unknown_board(EnergyMeters& opened);

}  // namespace kjoule
