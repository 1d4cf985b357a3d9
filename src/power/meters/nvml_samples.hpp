#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "power/meters/nvml.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {

/// Finds the power samples in a GPU's buffer that were not read before, by their wall-clock times.
class SamplesRead {
 public:
  /// Samples until the time `unix_ns` are not read.
  explicit SamplesRead(int64_t unix_ns) : last_unix_ns_(unix_ns) {}
  /// If the wall clock was set back since the last sample, samples after the time `now_unix_ns` are new ones
  /// from now on. Returns whether it was set back.
  bool begin_again(int64_t now_unix_ns);
  /// Returns the new samples. `samples` are sorted by time.
  std::vector<NvmlSample> take(const std::vector<NvmlSample>& samples, int64_t now_unix_ns);
  /// Returns the time of the latest sample that was read.
  int64_t last_unix_ns() const { return last_unix_ns_; }

 private:
  int64_t last_unix_ns_;
};

/// Returns the source with NVML's power of each GPU. It uses the driver's buffer of power samples (one every
/// 20 ms) if the board has one, else the instantaneous power, else the average over one second.
/// MeterFacts::averaging_s shows which of them is used.
std::unique_ptr<PowerSource> nvml_samples_source();

}  // namespace kjoule
