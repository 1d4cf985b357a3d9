#pragma once
#include <filesystem>
#include <string>

#include "base/process/progress.hpp"
#include "measure/sensor/sensor_probe.hpp"
#include "power/sensor_rate.hpp"
#include "run/energy_meters.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The result of probing a board's power sensor, with the facts of the meter that was read.
struct ProbedBoard {
  SensorProbe probe;
  MeterFacts meter;
  SensorRate rate;
};

/// Opens the work that is the load of a probe. For `device` "cuda", the load is matrix products on the first
/// visible GPU; for a simulated device, the device's program. Throws UsageError for any other device. Throws
/// Error if there is no GPU or no cuBLAS.
Subject open_probe_load(const std::string& device);

/// Opens the meters that read a board's sensor while it is probed. Throws Error if there are none, and
/// UsageError if the user named a meter that does not measure a GPU.
EnergyMeters open_probed_meters(const Subject& load, const EnergyMeterOptions& options);

/// Probes the sensor with this load, and stores its sampling rate in the file `path`. Throws the errors of
/// probe_sensor() and store_sensor_rate().
ProbedBoard probe_board(Subject& load, EnergyMeters meters, const std::filesystem::path& path,
                        Progress& progress);

/// Stores that the probe of a GPU's sensor failed, so that probe_unknown_board() does not repeat it.
void note_failed_probe(const std::filesystem::path& path, const Subject& load, const Error& failure);

/// Runs `kjoule power probe` for the GPU that the meters read, if its sensor was never probed. This happens
/// once for each board and takes about 30 s. If the probe fails, a warning is printed, the probe is not
/// repeated the next time, and reports state that the sampling rate is not known.
void probe_unknown_board(EnergyMeters& opened);

}  // namespace kjoule
