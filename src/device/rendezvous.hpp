#pragma once
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/process/local_socket.hpp"

namespace kjoule {

/// A process that has answered the greeting.
struct AnsweringProcess {
  ConnectedProcess process;
  nlohmann::json answer;
};

/// The meeting point of kjoule and the processes of one program. The injected library answers the greeting
/// when its process has work for the device.
///
/// If one process is measured, it is the first that answers. If several may be, all are accepted that use
/// different GPUs, until accept_no_more(), and the measured one is that of local rank 0, or the first if it
/// does not know its rank. The other processes are refused and continue.
class Rendezvous {
 public:
  explicit Rendezvous(bool accepts_several = false) : accepts_several_(accepts_several) {}
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  /// Returns the name of the socket to which the processes connect.
  const std::string& name() const { return listener_.name(); }
  /// Returns the measured process, once there is one; null before. The Rendezvous closes its socket.
  const AnsweringProcess* measured() const { return measured_ ? &answering_[*measured_] : nullptr; }
  /// Measures the process that has answered first, if any has. Returns whether it has.
  bool measure_first();
  /// Returns the accepted processes, in the order of their answers.
  const std::deque<AnsweringProcess>& accepted() const { return answering_; }
  /// Refuses all processes that answer from now on.
  void accept_no_more() { accepts_several_ = false; }
  /// Returns whether a process is connected that has neither answered nor left.
  bool has_waiting() const { return !waiting_.empty(); }
  /// Returns the number of processes that connected and left without an answer.
  int gone() const { return gone_; }
  /// Returns what the last of these processes reported of its launches when it ended; empty if none reported
  /// anything.
  const std::string& last_report() const { return last_report_; }

  /// Waits until a process connects, sends a message or leaves, or until one of the file descriptors `others`
  /// (-1: ignored) is readable. Returns false if `milliseconds` passed first; a negative time means no limit.
  bool await(const std::vector<int>& others, int milliseconds);

 private:
  /// Accepts the processes that wait for a connection, and greets them.
  void accept_connections();
  /// Reads a message of a process: its answer to the greeting, or a report about its launches.
  void receive_from(const ConnectedProcess& process);
  void accept_or_refuse(AnsweringProcess answering);
  /// Returns whether no further process is accepted.
  bool is_complete() const { return measured_ && !accepts_several_; }
  pid_t measured_pid() const { return measured_ ? answering_[*measured_].process.pid : 0; }

  Listener listener_;
  std::vector<ConnectedProcess> waiting_;
  bool accepts_several_;
  std::deque<AnsweringProcess> answering_;
  std::optional<size_t> measured_;  ///< index in answering_
  int gone_ = 0;
  std::string last_report_;
};

}  // namespace kjoule
