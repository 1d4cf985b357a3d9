#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/process/local_socket.hpp"

namespace kjoule {

/// The meeting point of kjoule and the processes of one program. The first process that answers the greeting
/// is measured; the injected library answers when its process has work for the device. The other processes
/// are refused and continue.
class Rendezvous {
 public:
  ~Rendezvous();

  /// Returns the name of the socket to which the processes connect.
  const std::string& name() const { return listener_.name(); }
  /// Returns the measured process, once there is one. The Rendezvous closes its socket.
  const std::optional<ConnectedProcess>& measured() const { return measured_; }
  /// Returns the measured process's answer to the greeting.
  const nlohmann::json& answer() const { return answer_; }
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
  void select(const ConnectedProcess& process, nlohmann::json answer);

  Listener listener_;
  std::vector<ConnectedProcess> waiting_;
  std::optional<ConnectedProcess> measured_;
  nlohmann::json answer_;
  int gone_ = 0;
  std::string last_report_;
};

}  // namespace kjoule
