#pragma once
#include <sys/types.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// Variables that a program is given beside those of this process, instead of its own of that name.
using Environment = std::map<std::string, std::string>;

/// How a program is started; what base/process.hpp and base/program.hpp share.
struct Start {
  int keep_open = -1;  ///< a descriptor that the program inherits
  int output = -1;     ///< takes the place of stdout and stderr; stdin is then empty
  bool dies_with_us = false;
  Environment environment = {};
  std::optional<sigset_t> blocked = {};  ///< signals that the program blocks; otherwise those of the caller
};

/// Throws Error when the program cannot be started.
pid_t start_program(std::vector<std::string> command, const Start& start);
/// A descriptor that becomes readable when that process, whoever started it, ends; -1 where it cannot be had.
int open_end_event(pid_t pid);
/// Waits for a child and reaps it; its wait status.
int wait_for(pid_t pid);
/// "exit code 3", "killed by signal 9 (Killed)"; names the signal that a shell passes on as 128 + signal.
std::string describe_end(int status);
/// As a shell tells it: 128 + signal for what a signal killed.
int exit_code_of(int status);

}  // namespace kjoule
