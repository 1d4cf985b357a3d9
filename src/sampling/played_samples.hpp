#pragma once
#include <functional>
#include <vector>

#include "device/sample_row.hpp"
#include "run/energy_meters.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// How the kernels of samples are played.
struct PlayOptions {
  SubjectOptions subject;     ///< device, its number and threads
  EnergyMeterOptions energy;  ///< with which meters
  double span_s = 0.2;        ///< of a reading
};

/// A sample that was timed, and what it was asked with.
struct TimedSample {
  SampleRequest request;
  SampleRow row;
};

/// What comes of it.
struct PlayedSamples {
  /// The row with what its directions take when played, or why they could not be.
  std::function<void(const SampleRow&)> take;
  /// What each meter is, as often as they are opened; none, and why, where there are none.
  std::function<void(const std::vector<nlohmann::json>& meters, const std::string& lack)> hear_meters;
  std::function<void(const std::string& note)> hear_note;  ///< of a meter, or why many failed together
};

/// Has kjoule-torch run the operators of these samples, as many at a time as fit in memory, records what they
/// launch and plays that of each direction alone. A sample that cannot be played says why, and the others go
/// on: where many together fail they are run in halves. `device` is what timed them.
void play_samples(const std::vector<TimedSample>& samples, const PlayOptions& options,
                  const SamplingDevice& device, const PlayedSamples& told);

}  // namespace kjoule
