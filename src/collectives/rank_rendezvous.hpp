#pragma once
#include <chrono>
#include <list>
#include <memory>
#include <vector>

#include "base/process/tcp_socket.hpp"
#include "collectives/first_message.hpp"
#include "collectives/group_place.hpp"
#include "collectives/rank_hello.hpp"
#include "collectives/rank_link.hpp"

namespace kjoule {

/// Accepts the connections of the other ranks of a group, on rank 0. Anybody who reaches the port can
/// connect: a connection that is no rank of the run is closed without an answer and without effect, and one
/// that is silent is closed after kHelloPatience, or if many others follow.
class RankRendezvous {
 public:
  static constexpr std::chrono::milliseconds kHelloPatience{5000};

  /// Listens on the port of `place`, on all interfaces if the group may have several machines. Throws Error
  /// if the port cannot be used.
  explicit RankRendezvous(const GroupPlace& place);

  int port() const { return listener_.port(); }
  /// Waits until all other ranks have connected, and returns them, from rank 1. Throws Error with the ranks
  /// that have not connected after `time_limit_s` seconds, with a rank that has ended, or with a rank of
  /// another version of kjoule.
  std::vector<std::unique_ptr<RankLink>> await_ranks(double time_limit_s);

 private:
  using Time = std::chrono::steady_clock::time_point;
  /// A connection whose first message is not complete.
  struct Stranger {
    TcpSocket socket;
    Time until;
    FirstMessage message{};
  };

  bool is_complete() const;
  void wait_until(Time deadline);
  void accept_connections();
  void read_strangers();
  /// Accepts a connection with a complete first message as a rank, or closes it.
  void receive(TcpSocket socket, const nlohmann::json& message);
  void accept_or_refuse(TcpSocket socket, const RankHello& hello);
  std::string missing_ranks() const;

  GroupPlace place_;
  TcpListener listener_;
  std::list<Stranger> strangers_;
  std::vector<std::unique_ptr<RankLink>> ranks_;  ///< from rank 1; null until it has connected
  std::chrono::milliseconds patience_{};          ///< of each rank, as soon as it is accepted
};

}  // namespace kjoule
