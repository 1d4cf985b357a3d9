#pragma once
// The folder process starts programs and ends them. ChildProcess is a helper of kjoule that is connected by
// a socket, Program a user's program in the foreground; both start through start_program() (start.hpp). What
// must hold when kjoule is interrupted or killed is in interruption.hpp, guardian.hpp and descendants.hpp:
// nothing that kjoule started remains. Everything that is printed goes through terminal.hpp and
// progress.hpp. Read first: ChildProcess, Program, Guardian.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/process/start.hpp"

namespace kjoule {

/// A child process that is connected to this one by a socket pair. "{fd}" in its arguments is replaced by the
/// number of its socket. Its input is empty, and last_line() returns from its output. It is killed and reaped
/// on destruction, and it dies with its parent (PR_SET_PDEATHSIG).
class ChildProcess {
 public:
  /// Starts the program with the variables `more` in addition to this process's environment. Throws Error if
  /// it cannot be started.
  explicit ChildProcess(std::vector<std::string> command, const Environment& more = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  int socket() const { return socket_; }
  pid_t pid() const { return pid_; }
  /// Waits for the end, up to 5 s, then kills the process. Returns how it ended: "exit code 3", "killed by
  /// signal 9 (Killed)". Call it after the socket was closed.
  std::string how_it_ended();
  /// The last line so far that it wrote to stdout or stderr, with '?' for bytes that are no printable ASCII;
  /// empty where it wrote none.
  std::string last_line() const;

 private:
  int socket_ = -1;
  int output_ = -1;  ///< an unnamed file, which unlike a pipe never fills up
  pid_t pid_ = -1;
  std::string how_;  ///< set when the process has been reaped
};

/// Runs a program to its end with this process's stdin, stdout and stderr; returns its exit code, or 128 +
/// signal. It gets SIGTERM when this process ends, and Ctrl-C does not reach it. Throws Error if it cannot be
/// started.
int run_program(const std::vector<std::string>& command);

/// The result of read_program().
struct ProgramOutput {
  int exit_code = 0;  ///< 128 + signal if the program was killed, also at the time limit
  std::string text;   ///< stdout and stderr, in the order in which they were written
};
/// Runs a program to its end, without input, and returns its output. It is killed at the time limit. Throws
/// Error if it cannot be started.
ProgramOutput read_program(const std::vector<std::string>& command, double time_limit_s);
/// Returns the folder of the running executable.
std::string executable_folder();

}  // namespace kjoule
