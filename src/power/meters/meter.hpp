#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// What a meter's readings are: the power, or a counter of the energy since some moment.
enum class Quantity { power_w, energy_j };
/// What a meter measures.
enum class Scope { gpu, cpu, system, unknown };

/// "W" or "J".
const char* unit_of(Quantity quantity);
/// "GPU", "CPU", "whole system", "unknown".
const char* scope_name(Scope scope);

/// What is known about a meter before it is read.
struct MeterFacts {
  std::string source{};  ///< the PowerSource's name
  std::string name{};    ///< "gpu 0", "pm1", "package-0"
  Scope scope = Scope::unknown;
  Quantity quantity = Quantity::power_w;
  double tick_s = 0;             ///< how often its value changes
  double averaging_s = 0;        ///< a reading is the mean over this long; of a counter, its tick
  std::optional<double> duty{};  ///< share of the time that it looks at; absent when nobody knows
  double resolution = 0;         ///< the smallest step, in its unit
  /// How often a second it looks at the power, where it takes looks rather than the mean; absent when nobody
  /// knows.
  std::optional<double> looks_hz{};
};

/// A window of this many averaging times is the shortest whose mean can be trusted.
constexpr double kAveragingTimes = 3;
/// What to say of a window that is too short for the meter; nothing when it is long enough.
std::optional<std::string> too_short(const MeterFacts& facts, double window_s);

struct Reading {
  int64_t steady_ns = 0;  ///< CLOCK_MONOTONIC; each reading of a meter is later than the one before
  int64_t unix_ns = 0;
  double value = 0;  ///< in the meter's unit
  int64_t asked_ns =
      0;  ///< steady, when it was asked for: the value is from then to steady_ns; 0 where nobody knows
};

/// What belongs to a power reading and changes it; absent where it is not known.
struct DeviceState {
  std::optional<double> sm_clock_mhz{};
  std::optional<double> memory_clock_mhz{};
  std::optional<double> temperature_c{};
  std::optional<double> busy_percent{};
  /// What keeps the clock down: "power limit", "temperature", ...; empty where nothing does.
  std::optional<std::vector<std::string>> slowed_by{};
};

/// Reads power or energy. Nothing here waits: a meter is asked again and again. Not thread-safe.
class Meter {
 public:
  virtual ~Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  const MeterFacts& facts() const { return facts_; }
  /// What came in since the last call, by time; empty when there is no reading, which is never 0. Throws
  /// Error when there will be none any more.
  std::vector<Reading> read();
  /// What the user should know since the last call, a line each: it went away, came back, its counter jumped
  /// back or stands still, values were left out.
  std::vector<std::string> take_notes();
  /// Whether what it measures has work now: then a power that does not move is told, too.
  void expect_load(bool load) { load_ = load; }
  virtual std::optional<DeviceState> state() { return {}; }

 protected:
  explicit Meter(MeterFacts facts) : facts_(std::move(facts)) {}
  /// As read(), but for the checks that are the same for all meters.
  virtual std::vector<Reading> fetch() = 0;
  /// Says what another meter of this name, which this one reads, had to say; once.
  void pass_on(const std::vector<std::string>& notes);
  /// Says a thing once, however often it happens.
  void note_once(const std::string& text);
  void note(const std::string& text) { notes_.push_back(facts_.name + ": " + text); }

 private:
  bool plausible(const Reading& reading);
  void watch(const Reading& reading);

  MeterFacts facts_;
  bool load_ = false;
  std::optional<Reading> last_;
  int64_t moved_ns_ = 0;  ///< when the value last changed, steady
  bool still_told_ = false;
  std::vector<std::string> notes_;
  std::vector<std::string> told_;
};

}  // namespace kjoule
