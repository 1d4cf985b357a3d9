#pragma once
#include "device/device.hpp"
#include "simulated/stream.hpp"

namespace kjoule {

/// What one repeat of Steady work takes, without noise and drift, at the highest clock of a cold chip and
/// idle power left out.
struct SteadyRepeat {
  double compute_s = 0;  ///< of launches that compute alone holds up: a lower clock makes it longer
  double other_s = 0;    ///< of all others, of gaps, copies and pauses
  double compute_j = 0;  ///< dynamic, as the next; goes with the square of the clock
  double memory_j = 0;
  double squares_s2 = 0;  ///< of the launches' times, summed: how far their noise cancels

  /// Adds a launch or a copy.
  void add(const SimulatedStream::Parts& launch);
  /// At that share of the highest clock.
  double seconds(double clock) const { return other_s + compute_s / clock; }
  double dynamic_j(double clock) const { return compute_j * clock * clock + memory_j; }
  /// The deviation of a repeat's time in units of a launch's, both relative.
  double spread() const;
};

/// Plays a repeat of the work, launch by launch. Behind the plain iterations, and behind the one in which
/// launches are marked, all that the program writes is put back. Every launch meets the program's values, for
/// the copies leave them where launches are left out.
SteadyRepeat play_repeat(SimulatedStream& stream, LaunchIndex launches, const Steady& work, double pause_s);

}  // namespace kjoule
