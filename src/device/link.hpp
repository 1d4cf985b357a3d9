#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/process/process.hpp"

namespace kjoule {

/// The socket to a process that serves a device, and the process itself. The destructor ends the process.
class Link {
 public:
  virtual ~Link() = default;
  /// Returns kjoule's end of the socket. The Link closes it.
  virtual int socket() const = 0;
  /// Waits until a message can be read, and returns true. `operation` is the request whose reply is expected.
  /// Returns false if the process has ended. Throws StuckError if the reply takes so long that the replayed
  /// work must be stuck (ReplayPatience).
  virtual bool await_message(const std::string& operation) = 0;
  /// Waits until a process that has announced its end has ended. The process may still do long work at exit.
  virtual void wait_for_exit() {}
  /// Returns how the process ended, in one clause such as "the device process ended: exit code 3". Call this
  /// function after the process has closed its socket.
  virtual std::string how_it_ended() = 0;
  /// Returns the exit code of the user's program, after it ended; nothing if it is not known.
  virtual std::optional<int> exit_code() { return {}; }
  /// Returns the remedy for a process that ended before it answered any request.
  virtual std::string remedy_of_early_end() const = 0;
};

/// A Link to a child process over a socket pair.
class ChildLink final : public Link {
 public:
  /// Starts the process with the additional environment variables `more`. "{fd}" in the command is replaced
  /// by the file descriptor of the child's end of the socket. Throws Error if the process cannot be started.
  ChildLink(std::vector<std::string> command, const Environment& more) : child_(std::move(command), more) {}
  int socket() const override { return child_.socket(); }
  // No other process has the child's end of the socket open, so a read returns when the child ends.
  bool await_message(const std::string&) override { return true; }
  std::string how_it_ended() override { return "the process that works on the device ended: " + end(); }
  std::string remedy_of_early_end() const override {
    return "kjoule doctor reports whether it can start here";
  }

  /// Returns how the process ended, and the last line that it wrote: "exit code 3: no space left".
  std::string end() {
    const std::string how = child_.how_it_ended(), last = child_.last_line();
    return last.empty() ? how : how + ": " + last;
  }
  ChildProcess& child() { return child_; }

 private:
  ChildProcess child_;
};

}  // namespace kjoule
