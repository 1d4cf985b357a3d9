#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of a whole trace: its signature, and its time by the host's clock.
struct LaunchMoment {
  uint64_t signature = 0;
  int64_t host_ns = 0;
};

/// A repetition of launches: launches [first, first + times * length) are `times` iterations of `length`
/// launches with the same signatures.
struct Repetition {
  size_t first = 0, length = 0, times = 0;
  /// The distance between longer pauses of the host, in iterations; 0 if there are none. If it is not 0, the
  /// meaning of the repetition is ambiguous: the program may log or fetch data after every few iterations, or
  /// the repetition consists of layers and that many of them form an iteration.
  size_t longer_pause_every = 0;
  size_t end() const { return first + length * times; }
};

/// Returns the repetition in the launches of a finished program, or no value. Uses RepetitionFinder first
/// and counts all of its repetitions. In a trace that is too short for RepetitionFinder, it accepts a
/// sequence that fills nearly the whole trace (80 % or more), repeats three times or more, and begins after a
/// pause of the host, which layers within an iteration do not have.
std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches);

}  // namespace kjoule
