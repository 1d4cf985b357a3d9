#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "power/calibration.hpp"
#include "power/sensor_rate.hpp"

namespace kjoule {

/// The quantity that a meter returns: power, or energy since some moment (a counter).
enum class Quantity { power_w, energy_j };
/// The part of the machine that a meter measures.
enum class Scope { gpu, cpu, system, unknown };

/// Returns "W" or "J".
const char* unit_of(Quantity quantity);
/// Returns "GPU", "CPU", "whole system" or "unknown".
const char* scope_name(Scope scope);

/// Properties of a meter that are known before it is read.
struct MeterFacts {
  std::string source{};  ///< PowerSource::name()
  std::string name{};    ///< "gpu 0", "pm1", "package-0"
  Scope scope = Scope::unknown;
  Quantity quantity = Quantity::power_w;
  double tick_s = 0;             ///< sensor interval: the time between two changes of the value
  double averaging_s = 0;        ///< the time over which one value is averaged; for a counter, its tick_s
  std::string averaging_from{};  ///< of a log: who states the averaging time; empty for other meters
  /// Of a log: the time by which a reading may be older than its timestamp, s. Absent for other meters, whose
  /// readings may be one sensor interval old.
  std::optional<double> delay_s{};
  std::optional<double> duty{};  ///< share of the time for which the sensor measures; absent if unknown
  double value_step = 0;         ///< the smallest step of the value, in W or J
  /// The systematic error of all readings, as a share of them; absent if unknown.
  std::optional<double> accuracy{};
  std::string accuracy_from{};  ///< who states the accuracy
  /// Whether a reading's time is the time at which kjoule received it. Such a meter has to be read often.
  bool stamped_on_arrival = false;
  std::string device{}, id{};  ///< identify the meter within its source, as in FoundMeter
  /// The calibration of the meter, if the user has calibrated it.
  std::optional<Calibration> calibration{};
  /// The sampling rate of the board's power sensor, if the rate of this board was probed.
  std::optional<SensorRate> sensor_rate{};
  /// Returns the sampling rate in Hz, or no value if it was not probed, or not found by the probe.
  std::optional<Interval> sensor_hz() const { return sensor_rate ? sensor_rate->hz : std::nullopt; }
};

/// Accuracy of a WattsUp meter, as a share of its readings.
constexpr double kWattsupAccuracy = 0.015;
constexpr const char* kWattsupAccuracyFrom = "stated by the maker of WattsUp meters";
/// Accuracy of the power sensor of a GPU board, as a share of its readings.
constexpr double kBoardAccuracy = 0.06;
constexpr const char* kBoardAccuracyFrom =
    "the largest gain error that was published for A100 and H100 boards; it is stable for one board";

/// The length of the shortest window whose mean power is reliable, in averaging times of the meter.
constexpr double kAveragingTimes = 3;
/// Returns a message if a window of `window_s` seconds is too short for the meter, otherwise no value.
std::optional<std::string> too_short_message(const MeterFacts& facts, double window_s);

/// One value of a meter.
struct MeterValue {
  int64_t steady_ns = 0;  ///< CLOCK_MONOTONIC; later than the meter's previous value
  int64_t unix_ns = 0;
  double value = 0;  ///< in W or J, the unit of the meter's quantity
  /// CLOCK_MONOTONIC when the value was requested; the meter read it between requested_ns and steady_ns. 0 if
  /// unknown.
  int64_t requested_ns = 0;
};

/// Clocks, temperature and load of a device, which influence its power. Values that are not available are
/// absent.
struct DeviceState {
  std::optional<double> sm_clock_mhz{};
  std::optional<double> memory_clock_mhz{};
  std::optional<double> temperature_c{};
  std::optional<double> busy_percent{};
  /// The throttle reasons: "power limit", "temperature", ...; empty if the clock is not limited.
  std::optional<std::vector<std::string>> throttle_reasons{};
};

/// A meter of power or energy. No function waits; callers poll. Not thread-safe.
class Meter {
 public:
  virtual ~Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  const MeterFacts& facts() const { return facts_; }
  /// Returns the values since the last call, sorted by time; none if there is no new value (a missing value
  /// is never returned as 0). Throws Error if the meter has permanently failed.
  std::vector<MeterValue> read();
  /// Returns messages for the user since the last call, one line each: the meter disappeared or came back,
  /// its counter jumped back or does not change, values were ignored.
  std::vector<std::string> take_notes();
  /// Sets device and id of the meter (FoundMeter), and its calibration and sampling rate if they are known.
  void identify(const std::string& device, const std::string& id, std::optional<Calibration> calibration,
                std::optional<SensorRate> sensor_rate);
  /// Sets the sampling rate of the sensor if it becomes known after identify().
  void take_sensor_rate(std::optional<SensorRate> rate) { facts_.sensor_rate = std::move(rate); }
  /// Sets whether the device is expected to be busy. If so, read() adds a note if the power does not change.
  void expect_load(bool load) { load_ = load; }
  /// Returns the state of the device, or no value if the meter cannot read it.
  virtual std::optional<DeviceState> state() { return {}; }

 protected:
  explicit Meter(MeterFacts facts) : facts_(std::move(facts)) {}
  /// Returns the new values, as read() does, but without the checks that are common to all meters.
  virtual std::vector<MeterValue> fetch() = 0;
  /// Adds the notes of an inner meter that this meter reads, each note once.
  void pass_on(const std::vector<std::string>& notes);
  /// Adds a note, unless it was already added.
  void note_once(const std::string& text);
  void note(const std::string& text) { notes_.push_back(facts_.name + ": " + text); }

 private:
  bool plausible(const MeterValue& reading);
  /// Adds a note about a counter that jumped back, or a value that does not change.
  void check_change(const MeterValue& reading);

  MeterFacts facts_;
  bool load_ = false;
  std::optional<MeterValue> last_;
  int64_t changed_ns_ = 0;           ///< CLOCK_MONOTONIC when the value last changed
  bool unchanged_reported_ = false;  ///< whether a note states that the value does not change
  std::vector<std::string> notes_;
  std::vector<std::string> reported_;  ///< notes that must not be repeated
};

}  // namespace kjoule
