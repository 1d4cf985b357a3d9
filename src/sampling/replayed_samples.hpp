#pragma once
#include <functional>
#include <vector>

#include "device/sample_row.hpp"
#include "run/energy_meters.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Options for replaying the kernels of samples.
struct SampleReplayOptions {
  SubjectOptions subject;     ///< device, its number, and threads
  EnergyMeterOptions energy;  ///< choice of meters
  double span_s = 0.2;        ///< duration of a reading, in s
};

/// A timed sample: its request and its row.
struct TimedSample {
  SampleRequest request;
  SampleRow row;
};

/// The receivers of the results of replay_samples().
struct SampleReplayReceiver {
  /// Receives each row, to which the time and energy of its replayed directions are added, or the reasons why
  /// they could not be replayed.
  std::function<void(const SampleRow&)> take_row;
  /// Receives the facts of each meter whenever meters are opened. If there is no meter, `lack` is the reason.
  std::function<void(const std::vector<nlohmann::json>& meters, const std::string& lack)> take_meters;
  /// Receives notes of a meter, and the reason if several samples failed together.
  std::function<void(const std::string& note)> take_note;
};

/// Runs the operators of these samples in kjoule-torch, as many at a time as fit into memory, records their
/// launches and replays those of each direction in isolation. The row of a sample that cannot be replayed
/// contains the reason, and the other samples continue: if samples fail together, they are run in halves.
/// `device` is the device that timed the samples.
void replay_samples(const std::vector<TimedSample>& samples, const SampleReplayOptions& options,
                    const SamplingDevice& device, const SampleReplayReceiver& receiver);

}  // namespace kjoule
