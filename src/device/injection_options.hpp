#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/start.hpp"

namespace kjoule {

/// `first` to `last`, which does not belong to it.
struct LaunchSpan {
  int64_t first = 0;
  int64_t last = 0;
  bool operator==(const LaunchSpan&) const = default;
};

/// "5..9". Throws Error for anything else, and for an empty span.
LaunchSpan parse_launch_span(const std::string& text);

/// What kjoule tells the library that it injects into a program. It travels in the environment, because the
/// library must know it before the program's first launch.
struct InjectionOptions {
  /// What becomes of the program when its iteration has been recorded.
  enum class After {
    pause,   ///< held, so that the launches can be played in its memory, which must be kept as it was
    run_on,  ///< never held, nothing of its memory is kept
  };

  std::string socket;  ///< where kjoule listens
  After after = After::pause;
  std::string range;                     ///< the NVTX range that is an iteration; empty: found by itself
  std::optional<LaunchSpan> iterations;  ///< the launches that are the iteration, counted from the first
  int64_t skip_iterations = 0;           ///< that many iterations pass before one is recorded
  int64_t timed_iterations = 5;          ///< and as many more, whose times are kept
  std::optional<int> gpu;                ///< the program's device of that number; default: its only one
  std::optional<int> rank;  ///< the process of that RANK or LOCAL_RANK; default: the first with work

  bool operator==(const InjectionOptions&) const = default;

  /// KJOULE_SOCKET and others. What is not set is there and empty, so that nothing is taken over from the
  /// environment that kjoule itself was started in.
  Environment to_environment() const;
  /// What to_environment() made; what is missing or empty is not set. Throws Error for anything else.
  static InjectionOptions parse(const Environment& environment);
  /// Of this process; nothing when no kjoule started it.
  static std::optional<InjectionOptions> from_environment();
};

/// Whether this process is the one that `options.rank` asks for, by its RANK or else LOCAL_RANK.
bool is_asked_for(const InjectionOptions& options);

}  // namespace kjoule
