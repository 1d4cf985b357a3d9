#pragma once
#include <sys/types.h>
#include <string>
#include <vector>

namespace kjoule {

/// A child process joined to this one by a socket pair. The child finds its end's number in its arguments,
/// where "{fd}" stands. Its output is kept for last_line(), and its input is empty. Killed and reaped on
/// destruction; it also dies with its parent (PR_SET_PDEATHSIG).
class ChildProcess {
 public:
  /// Throws Error when the program cannot be started.
  explicit ChildProcess(std::vector<std::string> command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  int socket() const { return socket_; }
  pid_t pid() const { return pid_; }
  /// After the socket closed: waits for the end (up to 5 s, then kills) and says how it ended:
  /// "exit code 3", "killed by signal 9 (Killed)".
  std::string how_it_ended();
  /// The last line so far that it wrote to stdout or stderr, with '?' for bytes that are no printable ASCII;
  /// empty where it wrote none.
  std::string last_line() const;

 private:
  int socket_ = -1;
  int output_ = -1;  ///< an unnamed file, which unlike a pipe never fills up
  pid_t pid_ = -1;
  std::string how_;  ///< set once it is reaped
};

/// Runs a program to its end with this process's stdin, stdout and stderr; returns its exit code (128 +
/// signal). Throws Error when it cannot be started.
int run_program(const std::vector<std::string>& command);

struct ProgramOutput {
  int exit_code = 0;  ///< 128 + signal when it was killed, by us too when the time was over
  std::string text;   ///< stdout and stderr, in the order written
};
/// Runs a program to its end without input and keeps what it wrote. Throws Error when it cannot be started.
ProgramOutput read_program(const std::vector<std::string>& command, double time_limit_s);
/// The folder of the running executable.
std::string executable_folder();

}  // namespace kjoule
