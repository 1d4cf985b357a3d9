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

/// Accepts the connections of the processes of one program, and chooses the processes to measure. The
/// injected library in a process answers kjoule's greeting when the process has work for the device.
///
/// If only one process may be measured, the first process that answers is accepted and measured. If several
/// may be measured (`accepts_several`), all processes that use different GPUs are accepted until
/// accept_no_more(); measured() is then the process whose local rank is 0 or unknown. Processes that are not
/// accepted continue as if kjoule were not there.
class Rendezvous {
 public:
  explicit Rendezvous(bool accepts_several = false) : accepts_several_(accepts_several) {}
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  /// Returns the name of the socket to which the processes connect.
  const std::string& name() const { return listener_.name(); }
  /// Returns the measured process; null until it is chosen. The Rendezvous closes the socket of the process.
  const AnsweringProcess* measured() const { return measured_ ? &answering_[*measured_] : nullptr; }
  /// If measured() is null, chooses the first process that has answered. Returns whether measured() is set.
  bool measure_first();
  /// Returns the accepted processes, in the order of their answers.
  const std::deque<AnsweringProcess>& accepted() const { return answering_; }
  /// Refuses all processes that answer from now on.
  void accept_no_more() { accepts_several_ = false; }
  /// Returns whether a connected process has neither answered the greeting nor left.
  bool has_waiting() const { return !waiting_.empty(); }
  /// Returns the number of processes that connected and left without an answer.
  int gone() const { return gone_; }
  /// Returns the report on its launches that the last process counted by gone() sent at its end; empty if no
  /// such process sent a report.
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
