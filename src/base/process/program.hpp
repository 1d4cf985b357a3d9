#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/process/signal_handler.hpp"
#include "base/process/start.hpp"

namespace kjoule {

/// Descriptors from which a program reads and to which it writes. Without them, they are this process's, but
/// a program with `output` has an empty input.
struct ProgramStreams {
  int input = -1;   ///< stdin
  int output = -1;  ///< stdout and stderr
};

/// A user's program in the foreground. It has this process's stdin, stdout and stderr unless others are
/// given, and its process group, so that Ctrl-C and Ctrl-Z reach both. While it runs, this process must not
/// start anything else, because every descendant of this process counts as a part of the program.
///
/// SIGINT, SIGTERM or SIGHUP to this process ends the program with everything that it started, then this
/// process. When this process is killed, the program gets SIGTERM.
class Program {
 public:
  /// Starts the program with the variables `more` in addition to this process's environment. Throws Error if
  /// it cannot be started.
  Program(std::vector<std::string> command, const Environment& more, ProgramStreams streams = {});
  /// Ends the program and everything that it started: with SIGTERM, and SIGKILL 2 s later. Does nothing after
  /// run_to_end().
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Returns the command line, shortened if it is long, for messages.
  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  /// Returns a descriptor that becomes readable when the program ends.
  int end_event() const { return end_event_; }
  /// Returns how the program ended: "exit code 3", "killed by signal 9 (Killed)"; nothing if it does not end
  /// within `patience`.
  std::optional<std::string> how_it_ended(std::chrono::milliseconds patience);
  /// Returns the program's exit code, or 128 + signal; nothing while it runs.
  std::optional<int> exit_code();
  /// Ends the program like the destructor, after waiting for `patience`.
  void end(std::chrono::milliseconds patience);
  /// Waits for the program's own end and returns its exit code, or 128 + signal. During this call, signals
  /// are only passed on to the program. Processes that it leaves running are not ended.
  int run_to_end();

 private:
  void reap(int options);

  std::string name_;
  SignalHandler signals_;
  pid_t pid_ = -1;
  int end_event_ = -1;
  std::optional<int> status_;  ///< wait status, when the program has been reaped
  bool over_ = false;          ///< whether there is nothing left to end
};

}  // namespace kjoule
