#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/process/local_socket.hpp"
#include "device/replay_patience.hpp"

namespace kjoule {

/// The process whose device is measured: this class waits for messages of the process, and detects its end.
class MeasuredProcess {
 public:
  /// `name` is the program's name in messages. The caller closes the socket.
  MeasuredProcess(const ConnectedProcess& process, std::string name);
  ~MeasuredProcess();
  MeasuredProcess(const MeasuredProcess&) = delete;
  MeasuredProcess& operator=(const MeasuredProcess&) = delete;

  int socket() const { return process_.socket; }
  pid_t pid() const { return process_.pid; }
  /// Returns a file descriptor that becomes readable when the process ends; -1 if the process cannot be
  /// watched.
  int end_event() const { return ends_; }
  /// A function that waits until one of these descriptors is readable, but at most `milliseconds` (-1: no
  /// limit).
  using Wait = std::function<void(const std::vector<int>& descriptors, int milliseconds)>;
  /// Implements Link::await_message(), and calls `wait` to wait.
  bool await_message(const std::string& operation, const Wait& wait);
  /// Returns whether a message can be read, or the process has ended. `waited` is the time since the request
  /// `operation` was sent. Throws StuckError like Link::await_message().
  bool has_message(const std::string& operation, std::chrono::nanoseconds waited);
  /// Returns whether the process has ended or ends within `patience`; true if the process cannot be watched.
  bool has_ended(std::chrono::milliseconds patience) const;

 private:
  ConnectedProcess process_;
  std::string name_;
  /// Descriptor that becomes readable when the process ends; -1 if the process cannot be watched. (The end of
  /// the socket does not show the end of the process, because a fork may keep the socket open.)
  int ends_ = -1;
  ReplayPatience patience_;
};

}  // namespace kjoule
