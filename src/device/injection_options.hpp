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
    /// The program is paused, and its launches are replayed in its memory. It cannot continue after the
    /// measurement.
    pause,
    /// Like `pause`, but kjoule also keeps a copy of what the iteration changed in memory, so that the
    /// program can continue after the measurement (Device::leave()).
    go_on,
    run_on,  ///< the program is never paused, and its memory is not copied
  };

  /// Name of the socket on which kjoule listens; if empty, nothing is recorded or paused.
  std::string socket;
  After after = After::pause;
  /// Name of the NVTX range that marks iterations; if empty, kjoule finds the iteration.
  std::string nvtx_range;
  /// Numbers of the launches that form the iteration; the program's first launch has number 0.
  std::optional<LaunchSpan> iteration_launches;
  double loop_s = 1;  ///< time in s that a loop must last before one of its iterations is recorded
  /// File with the windows to record one after another (ExpectedWindows). If empty, one window is recorded,
  /// which the other options determine.
  std::string windows;
  /// Number of iterations that are neither timed nor recorded; they precede the timed iterations.
  int64_t skip_iterations = 0;
  int64_t timed_iterations = 5;  ///< number of iterations directly before the recorded one that are timed
  /// CUDA's number of the GPU to measure in the program; default: the only GPU that the program uses.
  std::optional<int> gpu;
  /// RANK or LOCAL_RANK of the process to measure; default: the first process with work.
  std::optional<int> rank;
  /// Path of the RankBoard that the program's ranks share when they are measured together. If empty, one
  /// process is measured.
  std::string rank_board;
  /// Folder in which the library logs the run; each process makes a folder of its own in this folder. With
  /// `socket`, the log ends when an iteration is recorded; without `socket`, the whole run is logged. If
  /// empty, nothing is logged.
  std::string run_log;
  /// Name under which the program can be measured later (WaitingProgram). kjoule then connects to the program
  /// and sends the other options, except `gpu` and `rank`. If empty, kjoule cannot connect to the program.
  std::string waits_as;

  bool operator==(const InjectionOptions&) const = default;

  /// Returns whether several processes of the program may be measured together. If the user chooses a rank, a
  /// GPU, an iteration or windows, only one process is measured.
  bool may_have_ranks() const {
    return after != After::run_on && !rank && !gpu && windows.empty() && nvtx_range.empty() &&
           !iteration_launches;
  }

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
