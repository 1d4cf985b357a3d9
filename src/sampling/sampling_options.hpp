#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
  /// Number of shapes of the sweep that have rows at the end; nothing: all.
  std::optional<size_t> budget;
  /// With a budget: chooses the next shapes to measure by their numbers in the sweep, from 0. `measured` has
  /// the times of all rows, in the order of the columns, none for a shape that has no times. `left` is the
  /// number of shapes that are left of the budget; with 0, the choice is not used.
  std::function<std::vector<size_t>(const std::vector<SampleShape>& sweep,
                                    const std::map<size_t, std::vector<double>>& measured, size_t left)>
      choose;
  /// Shapes of the sweep that are measured twice more, whether they have rows or not; empty: the whole sweep.
  std::vector<SampleShape> repeated;
  RequeuedJob* requeued = nullptr;  ///< the job of Slurm that is requeued until the part is complete

  /// Returns the peak rates of a device; nothing if they are unknown.
  std::optional<DeviceRoofs> roofs_of(const std::string& device) const {
    return roofs ? roofs : find_device_roofs(device);
  }
};

}  // namespace kjoule
