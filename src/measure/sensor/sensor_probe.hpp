#pragma once
// The folder sensor finds the rate at which a GPU's power sensor samples. probe_sensor() runs periodic loads
// of several rates; SamplingBeat describes how the readings oscillate with them. probe_board()
// (run/board_sensor.hpp) calls probe_sensor(), for `kjoule power probe` and once for each board on which
// energy is measured. Read first: SensorProbe.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/interval.hpp"
#include "base/process/progress.hpp"
#include "device/device.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// The readings of a sensor under one periodic load.
struct ProbedLoad {
  double load_hz = 0;      ///< periods of the load per second
  int64_t readings = 0;    ///< number of readings of the meter during the load
  double mean_w = 0;       ///< mean of the readings
  double deviation_w = 0;  ///< standard deviation of the readings
};

/// The result of probing a power sensor.
struct SensorProbe {
  /// The sampling rate, Hz, with its 95 % interval; nothing if no rate from 900 to 1600 Hz was found.
  std::optional<Interval> sensor_hz;
  std::string missing;  ///< why there is no rate; empty if there is one
  /// Amplitude of the beat under loads whose rate is near the sampling rate, and mean power of these loads,
  /// W.
  double beat_w = 0, mean_w = 0;
  size_t meter = 0;      ///< index of the meter whose readings were used
  double reading_s = 0;  ///< mean time between two readings of this meter
  double busy_s = 0;     ///< time per period in which the load keeps the device busy
  std::vector<ProbedLoad> loads;
};

/// The error that every launch takes too long for the load of a probe, usually because the device is busy
/// with other work.
class BusyDeviceError final : public Error {
  using Error::Error;
};

/// Finds the rate at which the device's power sensor samples. As a periodic load, the device repeatedly runs
/// some of its `launches` recorded launches for about 0.4 ms and then pauses. The power readings are
/// constant, unless the rate of the load is near the sampling rate: they then oscillate at the difference
/// between both rates. The rate of the load is swept from 900 to 1600 Hz, and then near the rate that was
/// found.
///
/// The meters must measure this device; the meter with the most readings is used. A probe takes 30 s if this
/// meter has a reading every 20 ms, and 50 s if it has one every 100 ms. Throws BusyDeviceError if no
/// launches are short enough. Throws Error if the meter returns too few readings, or if its readings do not
/// change. Throws Error if the readings oscillate, but no sampling rate from 900 to 1600 Hz explains the
/// oscillation: the device then does other work, or its sensor has another sampling rate.
SensorProbe probe_sensor(Device& device, LaunchIndex launches,
                         const std::vector<std::unique_ptr<Meter>>& meters, Progress& progress);

}  // namespace kjoule
