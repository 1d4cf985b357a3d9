#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/process/local_socket.hpp"
#include "device/replay_patience.hpp"

namespace kjoule {

/// The process whose device is measured: when it answers, and when it ends.
class MeasuredProcess {
 public:
  /// `name` is that of the program, for messages. The caller closes the socket.
  MeasuredProcess(const ConnectedProcess& process, std::string name);
  ~MeasuredProcess();
  MeasuredProcess(const MeasuredProcess&) = delete;
  MeasuredProcess& operator=(const MeasuredProcess&) = delete;

  int socket() const { return process_.socket; }
  pid_t pid() const { return process_.pid; }
  /// Returns a descriptor that becomes readable when the process ends; -1 if it cannot be watched.
  int end_event() const { return ends_; }
  /// Waits until one of these descriptors is readable, for so many milliseconds (-1: any time).
  using Wait = std::function<void(const std::vector<int>& descriptors, int milliseconds)>;
  /// Waits as Link::await_message() does, with `wait`.
  bool await_message(const std::string& operation, const Wait& wait);
  /// Returns whether there is something to read, or nothing more will come, from a process that has been
  /// answering `operation` for so long. Throws StuckError as Link::await_message() does.
  bool has_message(const std::string& operation, std::chrono::nanoseconds waited);
  /// Returns whether the process has ended, or ends within `patience`; true if that is not known.
  bool has_ended(std::chrono::milliseconds patience) const;

 private:
  ConnectedProcess process_;
  std::string name_;
  /// Descriptor that becomes readable when the process ends; -1 if it cannot be watched. A fork of the
  /// process may keep the socket open for longer.
  int ends_ = -1;
  ReplayPatience patience_;
};

}  // namespace kjoule
