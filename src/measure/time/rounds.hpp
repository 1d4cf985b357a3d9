#pragma once
// The folder time measures the time of the whole and of every launch in context. make_plan() chooses lengths
// of graphs and numbers of repeats for a device. measure_rounds() then repeats rounds until the sum is
// precise enough. An Instrument measures a round: on a GPU by stamps in CUDA graphs (StampedInstrument), on a
// CPU by reading the clock between launches (ClockedInstrument). estimate() computes a SumEstimate from the
// rounds: whole, sum and kernels with intervals. MeasuredRun (run) calls make_plan() and measure_rounds();
// compare_iteration() (compare) calls estimate(). Read first: Round, Instrument, SumEstimate;
// docs/design/method.md explains the method.

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
  /// Time limit, s. 0 stands for the default: 10 s on a CPU; on a GPU, 8 s plus the time of 800 iterations,
  /// at most 15 s.
  double time_limit_s = 0;
};

/// Returns the time limit of the rounds on a GPU, s: `options.time_limit_s`, or the default for iterations
/// that take `iteration_s` seconds without gaps.
double stamped_limit_s(const RoundOptions& options, double iteration_s);

/// The reason why measuring stopped: the sum is as precise as requested; the time limit was reached; or
/// nearly all of the half-width is the instrument's part, which more rounds do not reduce.
enum class Stopped { precise, time_limit, instrument };
/// Returns the reason's name in rows and reports: "precision", "time limit" or "instrument".
const char* to_string(Stopped stopped);

/// Measures rounds until there is a reason to stop, and returns this reason.
///
/// `rounds` contains the rounds of an interrupted run, and the new rounds are appended to it. `on_round` is
/// called with each new round before the next one begins. Throws DeviceError if a launch cannot be replayed;
/// the caller then excludes its kernel and calls this function again.
Stopped measure_rounds(Device& device, const Clock& clock, const TimedIteration& iteration, const Plan& plan,
                       const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress);

}  // namespace kjoule
