#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/process/signal_handler.hpp"
#include "base/process/start.hpp"

namespace kjoule {

/// The file descriptors of a program's standard streams; -1: the program uses the stream of this process.
struct ProgramStreams {
  int input = -1;   ///< stdin; if it is -1 and `output` is given, stdin is empty
  int output = -1;  ///< stdout and stderr
};

/// The streams of a program whose stdout goes to this process's stderr, because this process prints results
/// for other programs on stdout.
constexpr ProgramStreams kOutputToStderr{.input = STDIN_FILENO, .output = STDERR_FILENO};

/// A user's program in the foreground. The program uses this process's stdin, stdout and stderr unless other
/// streams are given. It is in the process group of this process, so that Ctrl-C and Ctrl-Z reach both
/// processes. While the program runs, this process must not start any other program, because every descendant
/// of this process is considered part of the program.
///
/// SIGINT, SIGTERM or SIGHUP to this process ends the program with everything that it started, then this
/// process. When this process is killed, the program receives SIGTERM.
class Program {
 public:
  /// Starts the program with the variables `more` in addition to this process's environment. Throws Error if
  /// it cannot be started.
  Program(std::vector<std::string> command, const Environment& more, ProgramStreams streams = {});
  /// Ends the program and everything that it started with SIGTERM, and with SIGKILL 2 s later. Does nothing
  /// after run_to_end().
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Returns the command line, shortened if it is long, for messages.
  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  /// Returns a descriptor that becomes readable when the program ends.
  int end_event() const { return end_event_; }
  /// Waits up to `patience` and returns how the program ended: "exit code 3", "killed by signal 9 (Killed)";
  /// no value if it is still running.
  std::optional<std::string> how_it_ended(std::chrono::milliseconds patience);
  /// Returns the program's exit code, or 128 + signal; no value while it runs.
  std::optional<int> exit_code();
  /// Waits up to `patience` for the program to end by itself. If it still runs then, ends it like the
  /// destructor.
  void end(std::chrono::milliseconds patience);
  /// Waits until the program ends by itself, and returns its exit code, or 128 + signal. During this call,
  /// signals are only passed on to the program. Processes that the program leaves running are not ended.
  int run_to_end();

 private:
  void reap(int options);

  std::string name_;
  SignalHandler signals_;
  pid_t pid_ = -1;
  int end_event_ = -1;
  std::optional<int> status_;  ///< wait status; absent until the program has been reaped
  bool over_ = false;          ///< whether end() or run_to_end() was called
};

}  // namespace kjoule
