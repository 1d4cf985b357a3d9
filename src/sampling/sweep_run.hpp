#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/started_runner.hpp"
#include "sampling/configuration.hpp"
#include "sampling/device_roofs.hpp"
#include "sampling/replayed_samples.hpp"
#include "sampling/sample_name.hpp"
#include "sampling/slurm_job.hpp"

namespace kjoule {

/// The options of a sampling run that are not part of the configuration.
struct SamplingOptions {
  std::string precision = "fp16";
  size_t parts = 1, part = 1;
  std::filesystem::path folder = ".";         ///< parent folder of sampling_data and sampling_log
  RestartedRunner::Start start_runner;        ///< starts the process that times operators
  std::optional<DeviceRoofs> roofs;           ///< peak rates to use instead of those of the data sheet
  std::optional<SampleReplayOptions> replay;  ///< set if energy is requested
  RequeuedJob* requeued = nullptr;  ///< the job of Slurm that is requeued until the part is complete
};

/// The outcome of sampling one part.
struct SweepOutcome {
  SampleName name;
  std::filesystem::path csv, jsonl;
  size_t samples = 0;                    ///< number of samples of the part
  size_t before = 0;                     ///< number of samples that already had a row before this run
  bool any_measured = false;             ///< whether any sample was measured, in this or an earlier run
  std::map<std::string, size_t> counts;  ///< number of samples of this run by status
  std::string last_error;                ///< why the latest sample that was not measured failed
  size_t not_replayed = 0;       ///< number of samples that were timed, but whose kernels were not replayed
  std::string why_not_replayed;  ///< the reason for the latest of them
  std::string energy_missing;    ///< why replayed samples have no energy
  bool has_roofs = false;        ///< whether times were checked against the device's peak rates
};

/// Returns the request for one shape. Throws Error if a formula of the configuration's arguments has no value
/// for the shape.
SampleRequest make_sample_request(const SamplingConfiguration& configuration, const std::string& precision,
                                  const SampleShape& shape);

/// Measures every shape of the part that has no row, or only a row with the status error. If energy is
/// requested, it also measures the energy of shapes that have only times; these times are kept. Every row is
/// written as soon as it is complete. Throws the errors of SampleFiles, and Error if kjoule-torch cannot run,
/// or cannot run the warm-up shape.
SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
