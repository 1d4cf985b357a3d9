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
  /// The state of the program after its iteration was recorded.
  enum class After {
    /// The program is paused, so that its launches can be replayed in its memory, which is kept unchanged.
    pause,
    /// Like `pause`. In addition, the changes that the iteration made in memory are kept, so that the program
    /// can go on after the measurement (Device::leave()).
    go_on,
    run_on,  ///< the program is never paused, and its memory is not copied
  };

  std::string socket;  ///< name of the socket on which kjoule listens; empty: nothing is recorded or paused
  After after = After::pause;
  std::string nvtx_range;  ///< NVTX range that is an iteration; if empty, kjoule finds the iteration
  std::optional<LaunchSpan>
      iteration_launches;  ///< launches that are the iteration; the program's first launch is 0
  double loop_s = 1;       ///< duration in s after which an iteration of a loop is recorded
  /// File with the windows to record (ExpectedWindows), one after another. Empty: the other options determine
  /// the only recorded window.
  std::string windows;
  int64_t skip_iterations = 0;   ///< number of iterations that pass first
  int64_t timed_iterations = 5;  ///< number of iterations directly before the recorded one that are timed
  std::optional<int> gpu;        ///< the program's number of the GPU to measure; default: its only GPU
  /// RANK or LOCAL_RANK of the process to measure; default: the first process with work.
  std::optional<int> rank;
  /// Path of the RankBoard that the ranks of the program share when they are measured together. Empty: one
  /// process is measured.
  std::string rank_board;
  /// Folder in which the library logs the run; each process uses a folder of its own in it. Without `socket`,
  /// the whole run is logged, otherwise the part until an iteration is recorded. Empty: nothing is logged.
  std::string run_log;
  /// Name under which the program waits until kjoule connects to it (WaitingProgram) and sends the other
  /// options, except `gpu` and `rank`. Empty: the program does not wait.
  std::string waits_as;

  bool operator==(const InjectionOptions&) const = default;

  /// Returns the options as environment variables (KJOULE_SOCKET and others). Options without a value become
  /// empty variables, so that the program does not inherit them from kjoule's own environment.
  Environment to_environment() const;
  /// Parses the variables of to_environment(). Missing and empty variables leave the default value of their
  /// option. Throws Error for invalid values.
  static InjectionOptions parse(const Environment& environment);
  /// Returns the options in the environment of this process; nothing if kjoule did not start the process.
  static std::optional<InjectionOptions> from_environment();
};

/// Returns whether `options.rank` selects this process: it is equal to the variable RANK or, if RANK is not
/// set, to LOCAL_RANK. Returns true if `options.rank` is not set.
bool is_measured_rank(const InjectionOptions& options);

}  // namespace kjoule
