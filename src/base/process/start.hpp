#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace kjoule {

/// Environment variables for a program, by name. They replace variables of this process's environment with
/// the same name.
using Environment = std::map<std::string, std::string>;

/// Options for starting a program, common to base/process/process.hpp and base/process/program.hpp.
struct StartOptions {
  int keep_open = -1;  ///< a descriptor that the program inherits; -1: none
  int output = -1;     ///< a descriptor for stdout and stderr; -1: those of this process
  /// A descriptor for stdin; -1: that of this process, or an empty stdin if `output` is given.
  int input = -1;
  int death_signal = 0;            ///< sent to the program when this process ends in any way; 0: none
  bool ignores_interrupt = false;  ///< whether the program ignores Ctrl-C, so that only kjoule ends it
  Environment environment = {};
};

/// From now on, this process ignores SIGPIPE, so that writing to a closed pipe is an error like a full disk.
/// Programs that it starts still have the action for SIGPIPE that this process inherited.
void ignore_closed_pipes();

/// Starts a program and returns its process id. The program has the mark of this run in its environment.
/// Throws Error if it cannot be started.
pid_t start_program(std::vector<std::string> command, const StartOptions& start);
/// Returns a descriptor that becomes readable when the process ends, which need not be a child; -1 (and
/// errno) if it cannot be opened.
int open_end_event(pid_t pid);
/// Waits for a child process, reaps it and returns its wait status.
int wait_for(pid_t pid);
/// Returns how a process ended: "exit code 3", "killed by signal 9 (Killed)". An exit code of 128 + signal
/// from a shell is described with the signal's name.
std::string describe_end(int status);
/// Returns the exit code as a shell reports it: 128 + signal for a process that was killed.
int exit_code_of(int status);

}  // namespace kjoule
