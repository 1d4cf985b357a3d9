#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "device/sample_row.hpp"
#include "measure/meters/steady_loop.hpp"
#include "run/energy_meters.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Options for replaying the kernels of samples.
struct SampleReplayOptions {
  /// Opens a process that runs operators, each of which runs once per iteration, forward and backward. Throws
  /// Error if an operator cannot be run.
  std::function<Subject(std::vector<SampleRequest>)> open;
  std::optional<EnergyMeterOptions> energy;  ///< the chosen meters; nothing if only times are measured
  ReadingWindow reading;                     ///< the reading of each direction
};

/// A timed sample: its request and its row.
struct TimedSample {
  SampleRequest request;
  SampleRow row;
};

/// The receivers of the results of replay_samples().
struct SampleReplayReceiver {
  /// Receives each row, with the graph time of its directions and the energy, if it is wanted, or the reason
  /// why these were not measured.
  std::function<void(const SampleRow&)> take_row;
  /// Receives the facts of each meter whenever meters are opened. If there is no meter, `lack` is the reason.
  std::function<void(const std::vector<nlohmann::json>& meters, const std::string& lack)> take_meters;
  /// Receives the notes of meters, and the reasons why samples could not be recorded in one process.
  std::function<void(const std::string& note)> take_note;
};

/// Runs the operators of these samples, as many in one process as fit into memory, records
/// their launches and replays the launches of each direction in isolation. If a process fails with several
/// samples, each half of them is tried again. The row of a sample that cannot be replayed contains the
/// reason. `device` is the device that timed the samples.
void replay_samples(const std::vector<TimedSample>& samples, const SampleReplayOptions& options,
                    const SamplingDevice& device, const SampleReplayReceiver& receiver);

}  // namespace kjoule
