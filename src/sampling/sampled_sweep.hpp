#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sampling/configuration.hpp"
#include "sampling/played_samples.hpp"
#include "sampling/roof.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

/// What is not in a sampling configuration.
struct SamplingOptions {
  std::string precision = "fp16";
  size_t parts = 1, part = 1;
  std::filesystem::path folder = ".";  ///< in which sampling_data and sampling_log are
  RunnerWork place;                    ///< where kjoule-torch is to run
  std::optional<SamplingRoof> roof;    ///< instead of what is known of the device
  std::optional<PlayOptions> play;     ///< where energy is to be measured, too
};

/// What became of the samples of a part.
struct SweepOutcome {
  SampleName name;
  std::filesystem::path csv, jsonl;
  size_t samples = 0;                    ///< of the part
  size_t before = 0;                     ///< of them had their row already
  bool any_measured = false;             ///< one of them at least, now or before
  std::map<std::string, size_t> counts;  ///< of the others, by status
  std::string last_error;
  size_t not_played = 0;  ///< were timed, but their kernels could not be played
  std::string why_not_played;
  std::string no_energy;  ///< why those that were played have none
  bool has_roof = false;
};

/// The request for one shape. Throws Error when a size of an operator of one's own cannot be worked out.
SampleRequest request_for(const SamplingConfiguration& configuration, const std::string& precision,
                          const SampleShape& shape);

/// Measures every shape of the part that has no row yet, or one of an error, and where energy is asked for
/// those that have none, which keep their times; writes rows as they are complete. Throws Error as
/// SampleFiles does, when kjoule-torch cannot run, and when it cannot run the shape of the warm-up.
SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options);

}  // namespace kjoule
