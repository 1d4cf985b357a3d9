#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "power/meters/meter.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// Energy that one GPU consumed during the run of a program. It includes idle time and the work of other
/// programs.
struct RunEnergy {
  /// Why there is no energy; empty if there is. The other fields are only set if `missing` is empty.
  std::string missing;
  std::string meter;  ///< source of the energy, as `kjoule power devices` names it
  std::string gpu;    ///< UUID of the GPU
  double joules = 0;
  /// Largest error of `joules` from the uncertain times of begin and end, J: the sum of the uncertainties of
  /// both times, times the mean power, plus the counter's resolution. The error is not larger if the power at
  /// begin and end is at most the mean power. The accuracy of the meter itself is not included.
  double half_width_joules = 0;
  int64_t begin_ns = 0, end_ns = 0;  ///< Unix times between which the energy was measured

  double seconds() const { return static_cast<double>(end_ns - begin_ns) * 1e-9; }
  double watts() const { return joules / seconds(); }
};

/// The shortest run, in s, whose energy is reported. In a shorter run, the errors at both ends would be too
/// large.
constexpr double kShortestRun_s = 2;

/// A tick of an energy counter: its new value and the time of the change.
struct CounterTick {
  double joules = 0;
  int64_t steady_ns = 0, unix_ns = 0;
  double half_width_s = 0;  ///< largest error of steady_ns, s
};

/// Reads the energy counters of GPUs twice: before a program starts and after it has ended. The counters of
/// all GPUs are read, because it is not known before the end which GPU the program uses.
///
/// A counter changes in ticks (every 100 ms on an H200), so that a reading may be almost one tick old.
/// Therefore the values at begin and end are read at the counter's next tick, for which this class waits up
/// to three sensor intervals. No counter is read between begin and end, because requests to the driver may
/// delay the program.
class RunEnergyMeter {
 public:
  /// Reads the counters of all GPUs that NVML lists. If a counter cannot be read, energy_of() returns the
  /// reason; no error is thrown.
  RunEnergyMeter();
  /// Reads these counters; the keys are the GPUs' UUIDs.
  explicit RunEnergyMeter(std::map<std::string, std::unique_ptr<Meter>> counters);
  /// Reads no counter; `lack` is the reason that energy_of() returns.
  explicit RunEnergyMeter(std::string lack) : lack_(std::move(lack)) {}

  /// Reads the counters at the end of the run. Call this function after the program has ended. It does not
  /// wait for a tick if the run was shorter than kShortestRun_s.
  void stop();
  /// Returns the energy of the GPU whose operations are in the log. Call this function after stop().
  RunEnergy energy_of(const RunLog& log) const;

 private:
  struct Counter {
    std::unique_ptr<Meter> meter;
    std::string lack;  ///< why the counter has no reading
    CounterTick begin, end;
  };
  /// Sets `end` (Counter::begin or Counter::end) of each counter to its next tick.
  void read_ends(CounterTick Counter::*end);
  RunEnergy energy_between(const std::string& gpu, const Counter& counter) const;

  std::map<std::string, Counter> counters_;
  std::string lack_;        ///< why there are no counters
  int64_t started_ns_ = 0;  ///< steady time from which the program may have started
  double run_s_ = 0;        ///< time from started_ns_ to stop(), s
};

}  // namespace kjoule
