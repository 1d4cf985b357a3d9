#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace kjoule {

/// A child process joined to this one by a socket pair. The child finds its end's number in its arguments, where
/// "{fd}" stands. Killed and reaped on destruction; it also dies with its parent (PR_SET_PDEATHSIG).
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

 private:
  int socket_ = -1;
  pid_t pid_ = -1;
};

/// Runs a program to its end with this process's stdin, stdout and stderr; returns its exit code (128 + signal).
int run_program(const std::vector<std::string>& command);
/// The folder of the running executable.
std::string executable_folder();

}  // namespace kjoule
