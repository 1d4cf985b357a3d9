#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "run/started_runner.hpp"
#include "sampling/device_roofs.hpp"
#include "sampling/replayed_samples.hpp"
#include "sampling/slurm_job.hpp"

namespace kjoule {

/// The options of a sampling run that are not part of the configuration.
struct SamplingOptions {
  std::string precision = "fp16";
  size_t parts = 1, part = 1;
  std::filesystem::path folder = ".";         ///< parent folder of sampling_data and sampling_log
  RestartedRunner::Start start_runner;        ///< starts the process that times operators
  std::optional<DeviceRoofs> roofs;           ///< peak rates to use instead of those of the data sheet
  std::optional<SampleReplayOptions> replay;  ///< set if the kernels are to be replayed
  RequeuedJob* requeued = nullptr;  ///< the job of Slurm that is requeued until the part is complete

  /// Returns the peak rates of a device; nothing if they are unknown.
  std::optional<DeviceRoofs> roofs_of(const std::string& device) const {
    return roofs ? roofs : find_device_roofs(device);
  }
};

}  // namespace kjoule
