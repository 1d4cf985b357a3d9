#pragma once
// The folder process starts and ends programs. ChildProcess is a helper program of kjoule that is connected
// by a socket, and Program is a user's program in the foreground; both are started with start_program()
// (start.hpp). interruption.hpp, guardian.hpp and descendants.hpp ensure that no process that kjoule started
// remains when kjoule is interrupted or killed. terminal.hpp and progress.hpp print everything. Read first:
// ChildProcess, Program, Guardian.

#include <sys/types.h>
#include <csignal>

#include <string>
#include <vector>

#include "base/process/start.hpp"

namespace kjoule {

/// A child process that is connected to this process by a socket pair. "{fd}" in the child's arguments is
/// replaced by the number of the child's socket. The child's stdin is empty; last_line() returns the last
/// line of its output. The child is killed and reaped on destruction, and killed when this process ends
/// (PR_SET_PDEATHSIG).
class ChildProcess {
 public:
  /// Starts the program with the variables `more` in addition to this process's environment. Throws Error if
  /// the program cannot be started.
  explicit ChildProcess(std::vector<std::string> command, const Environment& more = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  int socket() const { return socket_; }
  pid_t pid() const { return pid_; }
  /// Waits up to 5 s for the process to end, then kills it. Returns how it ended: "exit code 3", "killed by
  /// signal 9 (Killed)". Call it after the socket was closed.
  std::string how_it_ended();
  /// Returns the last line that the process has written to stdout or stderr, with '?' for bytes that are not
  /// printable ASCII; empty if it has written nothing.
  std::string last_line() const;

 private:
  int socket_ = -1;
  int output_ = -1;  ///< an unnamed file, which unlike a pipe never fills up
  pid_t pid_ = -1;
  std::string how_;  ///< set when the process has been reaped
};

/// Runs a program to its end with this process's stdin, stdout and stderr. Returns its exit code, or 128 +
/// signal. The program receives SIGTERM when this process ends, and ignores Ctrl-C. Throws Error if it cannot
/// be started.
int run_program(const std::vector<std::string>& command);

/// The result of read_program().
struct ProgramOutput {
  int exit_code = 0;  ///< 128 + signal if the program was killed, for example at the time limit
  std::string text;   ///< stdout and stderr, in the order in which they were written

  /// Returns whether the program was killed, as it is at the time limit.
  bool was_killed() const { return exit_code == 128 + SIGKILL; }
};
/// Runs a program with an empty stdin to its end, and returns its output. The program is killed after
/// `time_limit_s` seconds. Throws Error if the program cannot be started.
ProgramOutput read_program(const std::vector<std::string>& command, double time_limit_s);
/// Returns the folder of the running executable.
std::string executable_folder();

}  // namespace kjoule
