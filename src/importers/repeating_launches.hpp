#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of a whole trace: what was launched, and when by the host's clock.
struct LaunchMoment {
  uint64_t signature = 0;
  int64_t host_ns = 0;
};

/// Launches [first, first + times * length) are iterations of `length` launches, alike in what they launch.
struct Repetition {
  size_t first = 0, length = 0, times = 0;
  /// The host paused clearly longer before every so many of them: these may be iterations of which the
  /// program logs or fetches data every few, or layers, and that many make an iteration. 0 where it did not.
  size_t longer_pause_every = 0;
  size_t end() const { return first + length * times; }
};

/// What the period finder says of a program that is over: all repetitions, not only those to come. Where that
/// asks for more launches than there are: what nearly the whole trace repeats, three times or more, with a
/// pause of the host before each, which layers within an iteration have not. Else nothing.
std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches);

}  // namespace kjoule
