#pragma once
// The folder sensor finds the rate at which a GPU's power sensor samples. probe_sensor() plays periodic
// loads of several rates; SamplingBeat explains how the readings swing with them. probe_board()
// (run/board_sensor.hpp) calls it, for `kjoule power probe` and once for each board on which energy is
// measured. Read first: SensorProbe.

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
  double load_hz = 0;    ///< periods of the load per second
  int64_t readings = 0;  ///< readings of the meter during the load
  double mean_w = 0;
  double deviation_w = 0;  ///< standard deviation of the readings
};

/// What a probe found out about a power sensor.
struct SensorProbe {
  /// The sampling rate, Hz, with its 95 % interval; absent if none from 900 to 1600 Hz was found.
  std::optional<Interval> sensor_hz;
  std::string missing;  ///< why there is no rate; empty if there is one
  /// Amplitude of the beat with loads near the rate that fits best, W, and the mean power of these loads.
  double beat_w = 0, mean_w = 0;
  size_t meter = 0;      ///< index of the meter whose readings were used
  double reading_s = 0;  ///< mean distance of its readings
  double busy_s = 0;     ///< time in each period in which the load is busy
  std::vector<ProbedLoad> loads;
};

/// The error of a probe whose load takes too long: the device is busy with other work.
class BusyDeviceError final : public Error {
  using Error::Error;
};

/// Finds the rate at which the device's power sensor samples. The device runs some of its `launches` recorded
/// launches for about 0.4 ms and then pauses, over and over. Readings of the power are constant, unless the
/// load's rate is near the sensor's: then they swing at the difference of both. The rates of the load are
/// swept from 900 to 1600 Hz, then near the rate that was found.
///
/// The meters must measure this device; the one with the most readings is used. Takes 30 s if its sensor
/// interval is 20 ms, and 50 s if it is 100 ms. Throws BusyDeviceError if no launches are short enough, and
/// Error if the meter has too few readings or stands still, and if its readings swing, but not with a rate
/// from 900 to 1600 Hz: the device does other work, or its sensor samples at another rate.
SensorProbe probe_sensor(Device& device, LaunchIndex launches,
                         const std::vector<std::unique_ptr<Meter>>& meters, Progress& progress);

}  // namespace kjoule
