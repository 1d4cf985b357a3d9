#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sampling/configuration.hpp"
#include "sampling/sampling_options.hpp"

namespace kjoule {

/// A sample to measure.
struct SampleTask {
  SampleRequest request;
  SampleRow row;          ///< number and shape of the sample; also its times if `is_timed`
  bool is_timed = false;  ///< whether only its kernels are to be replayed
};

/// Receives what a DeviceSampler measures.
class SampleReceiver {
 public:
  virtual ~SampleReceiver() = default;
  /// Receives a complete row.
  virtual void take_row(const SampleRow& row) = 0;
  /// Receives the row of a sample that was timed and whose kernels will be replayed. A complete row follows.
  virtual void take_timed(const SampleRow& row) = 0;
  /// Receives the row of a sample that ended its process. It has the status error and the reason.
  virtual void take_lost(const SampleRow& row) { take_row(row); }
  /// Receives the facts of each meter whenever meters are opened. If there is no meter, `lack` is the reason.
  /// `gpu` is the UUID of the measured GPU; empty on the CPU.
  virtual void take_meters(const std::string& gpu, const std::vector<nlohmann::json>& meters,
                           const std::string& lack) = 0;
  /// Receives a warning.
  virtual void take_note(const std::string& note) = 0;
};

/// Measures samples of one configuration on one device: times them in kjoule-torch and, if energy is
/// requested, replays their kernels afterwards. Configuration and options must outlive the object.
class DeviceSampler {
 public:
  DeviceSampler(const SamplingConfiguration& configuration, const SamplingOptions& options);
  /// Returns the device. Starts kjoule-torch if it does not run. Throws Error if it cannot be started.
  const SamplingDevice& device();
  /// Runs the warm-up shape once, if the configuration has warm-up passes. The same process then times the
  /// first samples, because a new process would load all kernels again. Throws Error if the shape cannot be
  /// run.
  void warm_up();
  /// Measures these samples. Throws Error if kjoule-torch cannot be started.
  void measure(const std::vector<SampleTask>& tasks, SampleReceiver& receiver);

 private:
  /// Returns the row with the GPU's UUID, and with the status too_fast if the time is shorter than the peak
  /// rates allow.
  SampleRow check(SampleRow row);
  void replay(const std::vector<TimedSample>& timed, SampleReceiver& receiver);

  const SamplingConfiguration& configuration_;
  const SamplingOptions& options_;
  RestartedRunner runner_;
  std::optional<SamplingDevice> device_;  ///< set by device()
  std::optional<DeviceRoofs> roofs_;      ///< peak rates of the device, set by device(); nothing if unknown
};

}  // namespace kjoule
