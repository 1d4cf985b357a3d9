#pragma once
#include <cmath>

#include "device/device.hpp"
#include "simulated/stream.hpp"

namespace kjoule {

/// Time and dynamic energy of one repeat of SteadyWork on a cold chip at the highest clock, without noise,
/// drift and idle power.
struct SteadyRepeat {
  double compute_s = 0;  ///< time of compute-bound launches; increases at a lower clock
  double other_s = 0;    ///< time of all other launches, gaps, copies and pauses
  double compute_j = 0;  ///< dynamic energy of FLOPs and of the constant power of launches
  double memory_j = 0;   ///< dynamic energy of reading and writing bytes
  /// Sum of the squared times of launches, in s^2. It determines how much of their noise cancels.
  double squares_s2 = 0;

  /// Adds a launch or a copy.
  void add(const SimulatedStream::Parts& launch);
  /// Returns the time in s at `clock`, a share of the highest clock.
  double seconds(double clock) const { return other_s + compute_s / clock; }
  /// Returns the dynamic energy in J at `clock`, a share of the highest clock. Together with idle power, a
  /// program's energy is proportional to the clock to the power of 1 to 2, as on GPUs (bench/energy_clock).
  double dynamic_j(double clock) const {
    return compute_j * clock * clock * std::sqrt(clock) + memory_j * clock;
  }
  /// Returns the relative standard deviation of the time of one repeat, divided by the relative standard
  /// deviation of the time of one launch.
  double spread() const;
};

/// Replays one repeat of the work, launch by launch, and returns its cost. After the plain iterations, and
/// after the iteration with marked launches, all memory that the program writes is restored. Every launch
/// reads the program's values, because copies provide the outputs of omitted launches.
SteadyRepeat replay_steady_repeat(SimulatedStream& stream, LaunchIndex recorded, const SteadyWork& work,
                                  double pause_s);

}  // namespace kjoule
