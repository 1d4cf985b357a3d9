#pragma once
#include <string>
#include <vector>

#include "base/process.hpp"

namespace kjoule {

/// A socket to a served device, and the process behind it: who owns that process, and how it ended. Ends the
/// process on destruction.
class Link {
 public:
  virtual ~Link() = default;
  virtual int socket() const = 0;
  /// Returns when there is something to read. False when there will be nothing more.
  virtual bool await_message() = 0;
  /// After the socket closed, one clause: "the device process ended: exit code 3".
  virtual std::string how_it_ended() = 0;
  /// When it ended before it did anything that was asked.
  virtual std::string remedy_of_early_end() const = 0;
};

/// To a child process over a socket pair.
class ChildLink final : public Link {
 public:
  /// "{fd}" in the command stands for the child's end. Throws Error when it cannot be started.
  explicit ChildLink(std::vector<std::string> command) : child_(std::move(command)) {}
  int socket() const override { return child_.socket(); }
  bool await_message() override { return true; }  // nobody else holds the child's end: reading sees it close
  std::string how_it_ended() override { return "the device process ended: " + end(); }
  std::string remedy_of_early_end() const override { return "kjoule doctor tells whether it can start here"; }

  /// How it ended, and the last line that it wrote: "exit code 3: no space left".
  std::string end() {
    const std::string how = child_.how_it_ended(), last = child_.last_line();
    return last.empty() ? how : how + ": " + last;
  }
  ChildProcess& child() { return child_; }

 private:
  ChildProcess child_;
};

}  // namespace kjoule
