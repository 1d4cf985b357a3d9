#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/process/mutex.hpp"
#include "power/meters/meter.hpp"
#include "run/mean_power.hpp"

namespace kjoule {

/// Reads the energy counters of GPUs while a program runs, before it is paused. The counters of all GPUs are
/// read, because it is not known yet which GPU the program uses. Each counter is read only twice a second,
/// because requests to the driver may delay the program's launches.
class ProgramPower {
 public:
  /// Reads the counters of all GPUs that NVML lists; none if NVML is not available.
  ProgramPower();
  /// Reads these counters; the keys are the GPUs' UUIDs.
  explicit ProgramPower(std::map<std::string, std::unique_ptr<Meter>> counters);
  ~ProgramPower();
  ProgramPower(const ProgramPower&) = delete;
  ProgramPower& operator=(const ProgramPower&) = delete;

  /// Ends the readings. To be called after the program was paused.
  void stop();
  /// Returns the mean power of the GPU with UUID `gpu` between two times (CLOCK_MONOTONIC). Returns nothing
  /// if the GPU's counter was not read, if its value fell, or if less than 1 s lies between its first and its
  /// last reading in this period. Call this function after stop().
  std::optional<MeanPower> mean_power(const std::string& gpu, int64_t begin_ns, int64_t end_ns) const;

 private:
  struct Counter {
    std::unique_ptr<Meter> meter;
    std::vector<MeterValue> values;
    bool has_failed = false;
  };
  void start();
  void read_until_stopped();

  std::map<std::string, Counter> counters_;  ///< only the thread may access them until stop()
  Mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopped_ KJOULE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace kjoule
