#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/local_socket.hpp"

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
  const std::optional<Guest>& chosen() const { return chosen_; }
  /// Returns the measured process's answer to the greeting.
  const nlohmann::json& answer() const { return answer_; }
  /// Returns whether a process is connected that has neither answered nor left.
  bool anyone_waiting() const { return !waiting_.empty(); }
  /// Returns the number of processes that connected and left without an answer.
  int gone() const { return gone_; }
  /// Returns what the last of these processes reported of its launches when it ended; empty if none reported
  /// anything.
  const std::string& last_word() const { return last_word_; }

  /// Waits until a process connects, sends a message or leaves, or until one of the file descriptors `others`
  /// (-1: ignored) is readable. Returns false if `milliseconds` passed first; a negative time means no limit.
  bool await(const std::vector<int>& others, int milliseconds);

 private:
  void welcome();
  void hear(const Guest& guest);
  void choose(const Guest& guest, nlohmann::json answer);

  Listener listener_;
  std::vector<Guest> waiting_;
  std::optional<Guest> chosen_;
  nlohmann::json answer_;
  int gone_ = 0;
  std::string last_word_;
};

}  // namespace kjoule
