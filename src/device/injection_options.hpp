#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/process/start.hpp"

namespace kjoule {

/// A range of launch numbers: `first` is included, `last` is not.
struct LaunchSpan {
  int64_t first = 0;
  int64_t last = 0;
  bool operator==(const LaunchSpan&) const = default;
};

/// Parses "5..9" (launches 5 to 8). Throws Error for any other form and for an empty range.
LaunchSpan parse_launch_span(const std::string& text);

/// The options of the library that kjoule injects into a program. They are passed in the environment, because
/// the library needs them before the program's first launch.
struct InjectionOptions {
  /// What happens to the program when its iteration has been recorded.
  enum class After {
    /// The program is paused, so that its launches can be replayed in its memory, which is kept unchanged.
    pause,
    /// As `pause`; but what the iteration changed is kept, too, so that the program can go on after it was
    /// measured (Device::leave()).
    go_on,
    run_on,  ///< the program is never paused, and its memory is not copied
  };

  std::string socket;  ///< name of the socket on which kjoule listens; empty: nothing is recorded or paused
  After after = After::pause;
  std::string nvtx_range;  ///< NVTX range that is an iteration; if empty, kjoule finds the iteration
  std::optional<LaunchSpan>
      iteration_launches;  ///< launches that are the iteration; the program's first launch is 0
  double loop_s = 1;       ///< how long a loop must last before an iteration of it is recorded, in s
  /// File with the windows to record (ExpectedWindows), one after another. Empty: one window is recorded, as
  /// the other options say.
  std::string windows;
  int64_t skip_iterations = 0;   ///< iterations that pass before one is recorded
  int64_t timed_iterations = 5;  ///< further iterations before the recorded one; their times are kept
  std::optional<int> gpu;        ///< number of the program's device to be measured; default: its only one
  /// RANK or LOCAL_RANK of the process to be measured; default: the first one with work.
  std::optional<int> rank;
  /// Path of the RankBoard by which the ranks of the program are measured together. Empty: one process is
  /// measured.
  std::string rank_board;
  /// Folder in which the library logs the run, each process in a folder of its own: without a socket the
  /// whole run, otherwise until an iteration is recorded. Empty: nothing is logged.
  std::string run_log;
  /// Name under which the program waits until kjoule connects to it (WaitingProgram) and tells it the other
  /// options, except `gpu` and `rank`. Empty: it does not wait.
  std::string waits_as;

  bool operator==(const InjectionOptions&) const = default;

  /// Returns the options as environment variables (KJOULE_SOCKET and others). Options that are not set become
  /// empty variables, so that nothing is inherited from kjoule's own environment.
  Environment to_environment() const;
  /// Parses the variables of to_environment(). Missing and empty variables leave their options unset. Throws
  /// Error for invalid values.
  static InjectionOptions parse(const Environment& environment);
  /// Returns the options in the environment of this process; nothing if no kjoule started it.
  static std::optional<InjectionOptions> from_environment();
};

/// Returns whether this process is the one that `options.rank` selects, by RANK or, if that is not set, by
/// LOCAL_RANK.
bool is_measured_rank(const InjectionOptions& options);

}  // namespace kjoule
