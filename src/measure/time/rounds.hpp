#pragma once
// The folder time measures the time of the whole and of every launch in context. make_plan() chooses lengths
// and repeats for a device; measure_rounds() then repeats rounds until the sum is precise enough. An
// Instrument measures a round: by stamps in CUDA graphs on a GPU (StampedInstrument), by reading the clock
// between launches on a CPU (ClockedInstrument). estimate() turns rounds into a SumEstimate: whole, sum and
// kernels with intervals. MeasuredRun (run) calls the first two, comparison_of() (compare) the last one.
// Read first: Round, Instrument, SumEstimate; docs/design/method.md explains the method.

#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/process/progress.hpp"
#include "measure/time/plan.hpp"
#include "measure/time/round.hpp"

namespace kjoule {

/// Precision and time limit at which measuring stops.
struct RoundOptions {
  double precision = 0.0025;  ///< requested half-width of the sum's 95 % interval, as a share of the whole
  /// Limit on measuring time; 0: 10 s on a CPU, 8 s plus 800 iterations (at most 15 s) on a GPU.
  double time_limit_s = 0;
};

/// Returns the time limit of measuring on a GPU, s, for iterations that take so many seconds without gaps.
double stamped_limit_s(const RoundOptions& options, double iteration_s);

/// The reason why measuring stopped. instrument: nearly all of the half-width is a part that more rounds do
/// not reduce.
enum class Stopped { precise, time_limit, instrument };
/// Returns the reason's name in rows and reports: "precision", "time limit" or "instrument".
const char* to_string(Stopped stopped);

/// Measures rounds until the sum is as precise as requested or as the instrument allows, or the time limit is
/// reached; returns which.
///
/// `rounds` contains the rounds of an earlier, killed run and receives the new ones. `on_round` is called
/// with each new round before the next one begins. Throws the DeviceError of a launch that cannot be
/// replayed; the caller then excludes its kernel and calls again.
Stopped measure_rounds(Device& device, const Clock& clock, const TimedIteration& iteration, const Plan& plan,
                       const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress);

}  // namespace kjoule
