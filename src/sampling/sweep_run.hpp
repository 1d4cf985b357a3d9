#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/runner_work.hpp"
#include "sampling/configuration.hpp"
#include "sampling/device_roofs.hpp"
#include "sampling/replayed_samples.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

/// The options of a sampling run that are not part of the configuration.
struct SamplingOptions {
  std::string precision = "fp16";
  size_t parts = 1, part = 1;
  std::filesystem::path folder = ".";         ///< parent folder of sampling_data and sampling_log
  RunnerWork place;                           ///< device and threads of kjoule-torch
  std::optional<DeviceRoofs> roofs;           ///< roofs, instead of those of the device's data sheet
  std::optional<SampleReplayOptions> replay;  ///< options for energy, if energy is requested
};

/// The outcome of sampling one part.
struct SweepOutcome {
  SampleName name;
  std::filesystem::path csv, jsonl;
  size_t samples = 0;                    ///< number of samples of the part
  size_t before = 0;                     ///< samples that had their row before this run
  bool any_measured = false;             ///< whether any sample is measured, in this or an earlier run
  std::map<std::string, size_t> counts;  ///< number of samples of this run by status
  std::string last_error;
  size_t not_replayed = 0;  ///< samples that were timed, but whose kernels could not be replayed
  std::string why_not_replayed;
  std::string energy_missing;  ///< why replayed samples have no energy
  bool has_roofs = false;      ///< whether times were checked against the device's roofs
};

/// Returns the request for one shape. Throws Error if a size of an operator that the configuration describes
/// has no value.
SampleRequest make_sample_request(const SamplingConfiguration& configuration, const std::string& precision,
                                  const SampleShape& shape);

/// Measures every shape of the part that has no row, or only the row of an error. If energy is requested, it
/// also measures that of shapes without energy, whose times are kept. Every row is written as soon as it is
/// complete. Throws Error as SampleFiles does, and if kjoule-torch cannot run, or cannot run the warm-up
/// shape.
SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
