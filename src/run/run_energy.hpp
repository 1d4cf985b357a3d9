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

/// Energy of one GPU around the run of a program: all that the GPU took, so idle time and the work of other
/// programs are included.
struct RunEnergy {
  std::string missing;  ///< why there is no energy, in which case nothing else is set; otherwise empty
  std::string meter;    ///< its source, as `kjoule power devices` names it
  std::string gpu;      ///< UUID
  double joules = 0;
  /// Bound of the error of `joules` that comes from the ends, as long as the power there is not above the
  /// mean: the time, in s, within which each end is known, times the mean power. The accuracy of the meter
  /// itself is not included.
  double half_width_joules = 0;
  int64_t begin_ns = 0, end_ns = 0;  ///< Unix times between which the energy was taken

  double seconds() const { return static_cast<double>(end_ns - begin_ns) * 1e-9; }
  double watts() const { return joules / seconds(); }
};

/// The shortest run, in s, whose energy is reported: the two ends of a shorter one weigh too much.
constexpr double kShortestRun_s = 2;

/// A change of a counter: its new value, and when it came.
struct CounterTick {
  double joules = 0;
  int64_t steady_ns = 0, unix_ns = 0;
  double half_width_s = 0;  ///< the tick came within this time of steady_ns
};

/// Reads the energy counters of GPUs twice: before a program starts and after it has ended. Which of the GPUs
/// the program used is not known before its end, so all are read.
///
/// A counter changes in ticks (of 100 ms on an H200), and a reading may be one tick old. So either end is the
/// first tick that is seen, for which up to three ticks are waited. Between the ends nothing is read, because
/// requests to the driver might delay the program.
class RunEnergyMeter {
 public:
  /// Reads the counters that NVML has. What cannot be read is a reason in energy_of(), not an error.
  RunEnergyMeter();
  /// Reads these counters; the keys are the GPUs' UUIDs.
  explicit RunEnergyMeter(std::map<std::string, std::unique_ptr<Meter>> counters);
  /// Reads nothing, for this reason.
  explicit RunEnergyMeter(std::string lack) : lack_(std::move(lack)) {}

  /// Reads the counters again, after the program has ended. After a short run it does not wait.
  void stop();
  /// Returns the energy of the GPU whose operations are in the log. Call it after stop().
  RunEnergy energy_of(const RunLog& log) const;

 private:
  struct Counter {
    std::unique_ptr<Meter> meter;
    std::string lack;  ///< why it has no reading
    CounterTick begin, end;
  };
  /// Sets an end of each counter to its next tick.
  void read_ends(CounterTick Counter::*end);
  RunEnergy energy_between(const std::string& gpu, const Counter& counter) const;

  std::map<std::string, Counter> counters_;
  std::string lack_;        ///< why there are no counters
  int64_t started_ns_ = 0;  ///< steady time at which the program could start
  double run_s_ = 0;        ///< time until stop()
};

}  // namespace kjoule
