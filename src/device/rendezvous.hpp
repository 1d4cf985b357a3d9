#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/local_socket.hpp"

namespace kjoule {

/// Where the processes of one program come to be measured. The first that answers the greeting is the one:
/// the injected library answers when its process has work for the device. The others are told that they are
/// not meant, and run on.
class Rendezvous {
 public:
  ~Rendezvous();

  const std::string& name() const { return listener_.name(); }
  /// The process that is measured, once there is one; its socket stays the Rendezvous'.
  const std::optional<Guest>& chosen() const { return chosen_; }
  /// Its answer to the greeting.
  const nlohmann::json& answer() const { return answer_; }
  /// Connected, and not yet the one nor gone.
  bool anyone_waiting() const { return !waiting_.empty(); }
  /// How many came and went without an answer, and the last word of the last one that had one.
  int gone() const { return gone_; }
  const std::string& last_word() const { return last_word_; }

  /// Waits until somebody came, said something or left, or one of `others` (-1: none) is readable; false when
  /// the time was over before. A negative time has no end.
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
