#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/signal_watch.hpp"
#include "base/start.hpp"

namespace kjoule {

/// A user's program in the foreground: it has this process's stdin, stdout, stderr and process group, so
/// that Ctrl-C and Ctrl-Z reach both. While it runs this process must start nothing else: whatever descends
/// from this process is taken for a part of the program.
///
/// SIGINT, SIGTERM or SIGHUP to this process ends the program with all that it started, then this process.
class Program {
 public:
  /// Throws Error when the program cannot be started.
  Program(std::vector<std::string> command, const Environment& more);
  /// Ends it, and all that it started: SIGTERM, SIGKILL 2 s later. Not after run_to_end.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Its command line, cut where it gets long: how messages call it.
  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  /// A descriptor that becomes readable when it ends.
  int end_event() const { return end_event_; }
  /// "exit code 3", "killed by signal 9 (Killed)"; nothing when it did not end in that time.
  std::optional<std::string> how_it_ended(std::chrono::milliseconds patience);
  /// Ends it as the destructor does, after giving it `patience` to end by itself.
  void end(std::chrono::milliseconds patience);
  /// Waits for its own end and returns its exit code (128 + signal). Signals are only passed on from here on,
  /// and what it leaves running is left alone.
  int run_to_end();

 private:
  void reap(int options);

  std::string name_;
  SignalWatch signals_;
  pid_t pid_ = -1;
  int end_event_ = -1;
  std::optional<int> status_;  ///< once reaped
  bool over_ = false;          ///< nothing is left to end
};

}  // namespace kjoule
